import singleRegion from '../../../config/single-region.json' with { type: 'json' };
import threeRegions from '../../../config/three-regions.json' with { type: 'json' };
import { formatColumns, formatTable } from '../../support/generated-parts.ts';
import { portalConfig } from '../../support/portal-config.ts';
import { prices } from './prices.ts';
import {
  costOfPortal,
  freeOfMonth,
  healthRequestsAMonth,
  type Inventory,
  standingCost,
  takeInventory,
} from './standing-cost.ts';
import { type Configuration, costOfMillion, type TokenWork, total } from './token-cost.ts';

export interface CostModel {
  readonly usual: Configuration;
  readonly work: TokenWork;
}

interface Deployment {
  readonly name: string;
  readonly inventory: Inventory;
}

/** Each client gets a token an hour on two hosts, which keep it for its default life. */
const tokensOfClient = 2 * 24 * 30;

export const dollars = (value: number) =>
  `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
const thousands = (value: number) => value.toLocaleString('en-US');

/** The two example configs, synthesised. @param bundles folder of the function bundles. */
export function readDeployments(bundles: string): readonly Deployment[] {
  return [
    {
      name: 'one region: `config/single-region.json`',
      inventory: takeInventory(singleRegion, bundles),
    },
    {
      name: 'three regions: `config/three-regions.json`',
      inventory: takeInventory(threeRegions, bundles),
    },
  ];
}

function configurationOf({ inventory }: Deployment, { usual }: CostModel): Configuration {
  return { ...usual, ...inventory.observed, webAcl: inventory.webAcls > 0 };
}

/** What a month costs at rest. */
function standingOf(deployment: Deployment, model: CostModel) {
  return standingCost(deployment.inventory, configurationOf(deployment, model), model.work);
}

/** What a month costs, in dollars, with tokens spread evenly over the regions. */
export function costOfMonth(deployment: Deployment, model: CostModel, tokens: number): number {
  const { inventory } = deployment;
  const traffic = {
    tokens: Math.max(1, tokens / inventory.regions),
    others: healthRequestsAMonth(inventory),
  };
  const ofMillion = costOfMillion(configurationOf(deployment, model), model.work, traffic);
  return total(standingOf(deployment, model)) + (tokens / 1e6) * total(ofMillion);
}

/** The totals of a month: at rest, with clients, and with a million tokens. */
export function formatTotals(deployments: readonly Deployment[], model: CostModel): string {
  const totalOf = (tokens: number) => (deployment: Deployment) =>
    `**${dollars(costOfMonth(deployment, model, tokens))}**`;
  const withFree = (tokens: number) => (deployment: Deployment) =>
    dollars(
      costOfMonth(deployment, model, tokens) -
        freeOfMonth(deployment.inventory, configurationOf(deployment, model), model.work, tokens),
    );
  return formatColumns(deployments, {
    'a month': ({ name }) => name,
    'at rest': totalOf(0),
    'a million tokens': totalOf(1e6),
    '10 clients': totalOf(10 * tokensOfClient),
    '1,000 clients': totalOf(1000 * tokensOfClient),
    'at rest, an otherwise empty account': withFree(0),
    'a million, such an account': withFree(1e6),
  });
}

/** What is paid for at rest, the largest sum of the last deployment first. */
export function formatMonth(deployments: readonly Deployment[], model: CostModel): string {
  const months = deployments.map((deployment) => ({
    name: deployment.name.replace(/:.*/, ''),
    standing: standingOf(deployment, model),
  }));
  const largest = months.at(-1)?.standing ?? {};
  const lines = Object.entries(largest).sort(([, a], [, b]) => b - a);
  return formatColumns(lines, {
    'a month at rest': ([line]) => line,
    ...Object.fromEntries(
      months.map(({ name, standing }) => {
        const cell = ([line]: (typeof lines)[number]) => dollars(standing[line] ?? Number.NaN);
        return [name, cell] as const;
      }),
    ),
  });
}

/** What the portal adds to three regions, idle. @param bundles folder of the function bundles. */
export function formatPortal(bundles: string): string {
  const costs = costOfPortal(
    takeInventory(threeRegions, bundles),
    takeInventory({ ...threeRegions, portal: portalConfig }, bundles),
  );
  return formatTable([
    ['the portal, a month', 'together', ...Object.keys(costs)],
    ['next to three regions', `**${dollars(total(costs))}**`, ...Object.values(costs).map(dollars)],
  ]);
}

const { perThousandTokens, firstTierTokens } = prices.cognito;
const ofCognito = (tokens: number) => (tokens / 1000) * perThousandTokens;

/** Tokens a month, to the next hundred, from which a deployment costs less than Cognito's first tier. */
function findBreakEven(deployment: Deployment, model: CostModel): number {
  const isLess = (tokens: number) => costOfMonth(deployment, model, tokens) < ofCognito(tokens);
  let [from, to]: readonly [number, number] = [0, firstTierTokens];
  if (!isLess(to)) throw new Error(`${deployment.name} costs more than Cognito's first tier`);
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    [from, to] = isLess(middle) ? [from, middle] : [middle, to];
  }
  return Math.ceil(to / 100) * 100;
}

/** What a month costs next to Amazon Cognito. */
export function formatPrice(deployments: readonly Deployment[], model: CostModel): string {
  return formatColumns([0, 10_000, 1_000_000], {
    'tokens a month': thousands,
    ...Object.fromEntries(
      deployments.map((deployment) => {
        const cell = (tokens: number) => dollars(costOfMonth(deployment, model, tokens));
        return [deployment.name, cell] as const;
      }),
    ),
    'Amazon Cognito': (tokens) =>
      `${tokens > firstTierTokens ? 'at most ' : ''}${dollars(ofCognito(tokens))}`,
  });
}

/** The figures of README. */
export function describePrices(deployments: readonly Deployment[], model: CostModel) {
  const at = (tokens: number) =>
    deployments.map((deployment) => dollars(costOfMonth(deployment, model, tokens)));
  const [oneIdle, threeIdle] = at(0);
  const [oneMillion, threeMillion] = at(1e6);
  const [one = 0, three = 0] = deployments.map((deployment) => findBreakEven(deployment, model));
  const [stack] = deployments.map(({ inventory }) => inventory);
  return {
    'break-even': `- You need fewer than ${thousands(one)} tokens a month, or ${thousands(three)} in three regions: Amazon Cognito costs less.`,
    bill: `- **A small bill.** One region costs ${oneIdle} a month at rest and ${oneMillion} with a million tokens; three regions cost ${threeIdle} and ${threeMillion} ([cost](docs/cost.md)). \`npm run cost\` computes it from list prices.
- **One stack of ${stack?.resources} resources** per region, of which ${stack?.functions} are Lambda functions and ${stack?.tables} DynamoDB tables; no server, no container, no VPC. The same command counts them.`,
  };
}
