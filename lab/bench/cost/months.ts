import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatColumns } from '../../support/generated-parts.ts';
import { portalConfig } from '../../support/portal-config.ts';
import { prices } from './prices.ts';
import {
  costOfPortal,
  healthRequestsAMonth,
  type Inventory,
  standingCost,
  takeInventory,
} from './standing-cost.ts';
import {
  type Configuration,
  type CostLines,
  costOfMillion,
  type TokenWork,
  total,
} from './token-cost.ts';

export interface CostModel {
  readonly usual: Configuration;
  readonly work: TokenWork;
}

interface Deployment {
  readonly name: string;
  readonly inventory: Inventory;
}

/** One month of a deployment, in dollars. */
interface Month {
  readonly standing: CostLines;
  readonly tokens: number;
}

const root = join(import.meta.dirname, '../../..');

/** Each client gets a token an hour on two hosts, which keep it for its default life. */
const tokensOfClient = 2 * 24 * 30;

export const dollars = (value: number) =>
  `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
const thousands = (value: number) => value.toLocaleString('en-US');

function readConfig(file: string): object {
  return JSON.parse(readFileSync(join(root, 'config', file), 'utf8')) as object;
}

/** The two example configs, synthesised. @param bundles folder of the function bundles. */
export function readDeployments(bundles: string): readonly Deployment[] {
  return [
    ['one region', 'single-region.json'],
    ['three regions', 'three-regions.json'],
  ].map(([name = '', file = '']) => ({
    name: `${name}: \`config/${file}\``,
    inventory: takeInventory(readConfig(file), bundles),
  }));
}

/** Tokens spread evenly over the regions. */
function costOfMonth({ inventory }: Deployment, { usual, work }: CostModel, tokens: number): Month {
  const configuration = { ...usual, webAcl: inventory.webAcls > 0 };
  const traffic = {
    tokens: Math.max(1, tokens / inventory.regions),
    others: inventory.healthChecks > 0 ? healthRequestsAMonth : 0,
  };
  const perMillion = total(costOfMillion(configuration, work, traffic));
  return {
    standing: standingCost(inventory, configuration, work),
    tokens: (tokens / 1e6) * perMillion,
  };
}

function sumMonth({ standing, tokens }: Month): number {
  return total(standing) + tokens;
}

/** The totals of a month: at rest, with clients, and with a million tokens. */
export function formatTotals(deployments: readonly Deployment[], model: CostModel): string {
  const totalOf = (tokens: number) => (deployment: Deployment) =>
    `**${dollars(sumMonth(costOfMonth(deployment, model, tokens)))}**`;
  return formatColumns(deployments, {
    'a month': ({ name }) => name,
    'at rest': totalOf(0),
    'a million tokens': totalOf(1e6),
    '10 clients': totalOf(10 * tokensOfClient),
    '1,000 clients': totalOf(1000 * tokensOfClient),
  });
}

/** What is paid for at rest, the largest sum of the last deployment first. */
export function formatMonth(deployments: readonly Deployment[], model: CostModel): string {
  const months = deployments.map((deployment) => ({
    name: deployment.name.replace(/:.*/, ''),
    standing: costOfMonth(deployment, model, 0).standing,
  }));
  const largest = months.at(-1)?.standing ?? {};
  const lines = Object.entries(largest).sort(([, a], [, b]) => b - a);
  return formatColumns(lines, {
    'a month at rest': ([line]) => line,
    ...Object.fromEntries(
      months.map(({ name, standing }): [string, (line: (typeof lines)[number]) => string] => [
        name,
        ([line]) => dollars(standing[line] ?? Number.NaN),
      ]),
    ),
  });
}

/** What the portal adds to three regions, idle. @param bundles folder of the function bundles. */
export function formatPortal(bundles: string): string {
  const config = readConfig('three-regions.json');
  const costs = costOfPortal(
    takeInventory(config, bundles),
    takeInventory({ ...config, portal: portalConfig }, bundles),
  );
  return formatColumns([costs], {
    'the portal, a month': () => 'next to three regions',
    together: (lines) => `**${dollars(total(lines))}**`,
    ...Object.fromEntries(
      Object.keys(costs).map((line): [string, (lines: typeof costs) => string] => [
        line,
        (lines) => dollars(lines[line] ?? Number.NaN),
      ]),
    ),
  });
}

const { perThousandTokens, firstTierTokens } = prices.cognito;
const ofCognito = (tokens: number) => (tokens / 1000) * perThousandTokens;

/** Tokens a month, to the next hundred, from which a deployment costs less than Cognito's first tier. */
export function findBreakEven(deployment: Deployment, model: CostModel): number {
  const isLess = (tokens: number) =>
    sumMonth(costOfMonth(deployment, model, tokens)) < ofCognito(tokens);
  let [from, to]: readonly [number, number] = [0, firstTierTokens];
  if (!isLess(to)) throw new Error(`${deployment.name} costs more than Cognito's first tier`);
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    [from, to] = isLess(middle) ? [from, middle] : [middle, to];
  }
  return Math.ceil(to / 100) * 100;
}

function formatCognito(tokens: number): string {
  return `${tokens > firstTierTokens ? 'at most ' : ''}${dollars(ofCognito(tokens))}`;
}

/** What a month costs next to Amazon Cognito. */
export function formatPrice(deployments: readonly Deployment[], model: CostModel): string {
  return formatColumns([0, 10_000, 1_000_000], {
    'tokens a month': thousands,
    ...Object.fromEntries(
      deployments.map((deployment): [string, (tokens: number) => string] => [
        deployment.name,
        (tokens) => dollars(sumMonth(costOfMonth(deployment, model, tokens))),
      ]),
    ),
    'Amazon Cognito': formatCognito,
  });
}

/** The figures of README, and of the first row of docs/compare.md. */
export function describePrices(deployments: readonly Deployment[], model: CostModel) {
  const at = (tokens: number) =>
    deployments.map((deployment) => dollars(sumMonth(costOfMonth(deployment, model, tokens))));
  const [oneIdle, threeIdle] = at(0);
  const [oneMillion, threeMillion] = at(1e6);
  const [one = 0, three = 0] = deployments.map((deployment) => findBreakEven(deployment, model));
  const [stack] = deployments.map(({ inventory }) => inventory);
  return {
    'break-even': `- You need fewer than ${thousands(one)} tokens a month, or ${thousands(three)} in three regions: Amazon Cognito costs less.`,
    bill: `- **A small bill.** One region costs ${oneIdle} a month at rest and ${oneMillion} with a million tokens; three regions cost ${threeIdle} and ${threeMillion} ([cost](docs/cost.md)). \`node lab/bench/cost/main.ts\` computes it from list prices.
- **One stack of ${stack?.resources} resources** per region, of which ${stack?.functions} are Lambda functions and ${stack?.tables} DynamoDB tables; no server, no container, no VPC. The same command counts them.`,
    row: `${oneIdle} a month in one region, ${oneMillion} with a million tokens; ${threeIdle} and ${threeMillion} in three`,
  };
}
