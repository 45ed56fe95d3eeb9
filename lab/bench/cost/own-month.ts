import { getBundles } from '../../../lib/functions/function-bundles.ts';
import { guards } from './guard-cost.ts';
import { dollars } from './months.ts';
import { costModel, costsOfGuard } from './parts.ts';
import { prices } from './prices.ts';
import { standingCost, takeInventory } from './standing-cost.ts';
import { costOfMillion, secondsAMonth, total } from './token-cost.ts';

/** The load of a deployment: a second, on average, in all regions together. */
export interface Load {
  readonly tokensPerSecond: number;
  readonly clients: number;
  readonly verifiedPerSecond: number;
}

/** What lowers a line. Nothing is said of lines that only AWS lowers. */
const advice: Readonly<Record<string, string>> = {
  'tokens: API Gateway': 'callers that keep a token for its life (docs/keep-the-token.md)',
  'tokens: KMS Sign': 'callers that keep a token for its life (docs/keep-the-token.md)',
  'tokens: Lambda': '512 MB of memory (docs/cost.md)',
  'tokens: logs': '`functionReports` of failures',
  'tokens: data out': 'shorter scopes and audiences',
  verified: '`forward-auth` or the library in place of `PlatformAuthorizer`, or `resultCacheTtl`',
  'at rest': 'fewer regions, alarms and dashboards (docs/cost.md)',
};

/** The month of a config and a load, in dollars. @param input a config, as JSON. */
export function describeMonth(input: unknown, load: Load): string {
  const { usual, work } = costModel;
  const inventory = takeInventory(input, getBundles());
  const configuration = { ...usual, ...inventory.observed, webAcl: inventory.webAcls > 0 };
  const tokens = load.tokensPerSecond * secondsAMonth;
  const traffic = { tokens: Math.max(1, tokens / inventory.regions), others: 0 };
  const perMillion = Object.entries(costOfMillion(configuration, work, traffic));
  const [usualGuard] = guards;
  const verified = (guard: (typeof guards)[number]) =>
    (load.verifiedPerSecond * secondsAMonth * total(costsOfGuard(guard))) / 1e6;
  const lines = new Map([
    ['at rest', total(standingCost(inventory, configuration, work))],
    ...perMillion.map(([name, cost]) => [`tokens: ${name}`, (cost * tokens) / 1e6] as const),
    // Of secrets in each region's copy of a client, of keys in one region.
    [
      'last uses of as many secrets and API keys, each once a day',
      (load.clients * 30 * (1 + inventory.regions) * prices.dynamodb.perMillionWriteUnits) / 1e6,
    ],
    ['verified', usualGuard === undefined ? 0 : verified(usualGuard)],
  ]);
  const sorted = [...lines].filter(([, cost]) => cost > 0).sort(([, a], [, b]) => b - a);
  const sum = sorted.reduce((together, [, cost]) => together + cost, 0);
  return [
    `A month: ${dollars(sum)}`,
    ...sorted.map(([name, cost]) => `  ${dollars(cost).padStart(14)}  ${name}`),
    'The three largest, and what lowers them:',
    ...sorted.slice(0, 3).map(([name]) => `  ${name}: ${advice[name] ?? 'nothing here'}`),
    'Verified calls, a month, by what guards the API:',
    ...guards.map((guard) => `  ${dollars(verified(guard)).padStart(14)}  ${guard.name}`),
    '`forward-auth` also needs the CPU time of a container of yours.',
  ].join('\n');
}
