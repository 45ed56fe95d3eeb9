import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatTable, writeParts } from '../../support/generated-parts.ts';
import type { Results } from '../results.ts';
import { medianOf } from '../statistics.ts';
import { modelLoad, signQuota } from './load-model.ts';
import { prices } from './prices.ts';
import {
  type Configuration,
  costOfMillion,
  durationMs,
  type TokenWork,
  total,
} from './token-cost.ts';

const measured = JSON.parse(
  readFileSync(join(import.meta.dirname, '../results/full.json'), 'utf8'),
) as Results;

/** Bytes, by looking at one of each. */
const logBytes = {
  'log line': 760,
  metrics: 480,
  "Lambda's start, end and report": 900,
  'access log': 480,
};

function findReuse(
  share: number,
  instances: number,
  isShared: boolean,
): Pick<Configuration, 'reused' | 'sealed'> {
  const point = measured.reuse.find(
    ({ minimumRemainingShare, table, ...each }) =>
      minimumRemainingShare === share &&
      each.instances === instances &&
      (table !== undefined) === isShared,
  );
  if (point === undefined) throw new Error(`no trace of ${instances} instances was measured`);
  const { tokens, signs, table } = point;
  const sealed = table && { reads: table.reads / tokens, writes: table.writes / tokens };
  return { reused: 1 - signs / tokens, sealed };
}

const { delays, ours } = medianOf(measured.rounds).token;
const work: TokenWork = {
  cpuMs: ours.cpuUs / 1000,
  waitMs: delays.kms + delays.dynamodb,
  signWaitMs: delays.kms,
  logBytes: Object.values(logBytes).reduce((sum, bytes) => sum + bytes, 0),
  responseBytes: 2000,
  tracedShare: 0.05,
};

const usual: Configuration = {
  name: 'default: RS256, 1,769 MB',
  alg: 'RS256',
  memory: 1769,
  reused: 0,
  webAcl: false,
};
const reusing = { ...usual, ...findReuse(0.5, 4, false) };
const sharing = { ...usual, ...findReuse(0.5, 16, true) };
const reuseConfigurations: readonly Configuration[] = [
  usual,
  { ...reusing, name: 'reuse, 4 instances' },
  { ...usual, ...findReuse(0.5, 16, false), name: 'reuse, 16 instances' },
  ...[1, 4, 16, 64].map((instances) => ({
    ...usual,
    ...findReuse(0.5, instances, true),
    name: `shared reuse, ${instances} instance${instances === 1 ? '' : 's'}`,
  })),
  { ...usual, alg: 'ES256', name: 'ES256' },
  { ...sharing, alg: 'ES256', name: 'ES256, shared reuse, 16 instances' },
];

const configurations: readonly Configuration[] = [
  usual,
  { ...usual, name: '512 MB', memory: 512 },
  { ...usual, name: 'with a web ACL', webAcl: true },
  { ...reusing, name: 'token reuse, share 0.5, 4 instances' },
  { ...sharing, name: 'shared token reuse, share 0.5, 16 instances' },
  { ...usual, name: 'ES256', alg: 'ES256' },
  { ...usual, name: 'ML-DSA-44', alg: 'ML-DSA-44' },
];

const dollars = (value: number) => `$${value.toFixed(2)}`;
const thousands = (value: number) => Math.round(value).toLocaleString('en-US');

function formatCosts(): string {
  const cognito = prices.cognito.perThousandTokens * 1000;
  const rows = configurations.map((configuration) => {
    const lines = costOfMillion(configuration, work);
    const sorted = Object.entries(lines).sort(([, a], [, b]) => b - a);
    const sum = total(lines);
    const [first = ['', 0], second = ['', 0]] = sorted;
    const share = (value: number) => `${Math.round((value / sum) * 100)} %`;
    return [
      configuration.name,
      `**${dollars(sum)}**`,
      ...Object.values(lines).map(dollars),
      `${first[0]} ${share(first[1])}, ${second[0]} ${share(second[1])}`,
      `${((sum / cognito) * 100).toFixed(2)} %`,
    ];
  });
  const heads = Object.keys(costOfMillion(usual, work));
  return formatTable([
    ['a million tokens', 'together', ...heads, 'what dominates', 'of Cognito'],
    ...rows,
  ]);
}

/** What a share of reused tokens does to the bill, and to what the Sign quota allows. */
function formatReuse(): string {
  const rows = reuseConfigurations.map((configuration) => {
    const lines = costOfMillion(configuration, work);
    return [
      configuration.name,
      `${Math.round(configuration.reused * 100)} %`,
      dollars(lines['KMS Sign'] ?? Number.NaN),
      dollars(lines['DynamoDB'] ?? Number.NaN),
      `**${dollars(total(lines))}**`,
      thousands(signQuota / (1 - configuration.reused)),
    ];
  });
  return formatTable([
    [
      'a million tokens, share 0.5',
      'Signs saved',
      'KMS Sign',
      'DynamoDB',
      'all of it',
      `tokens a second with ${thousands(signQuota)} Signs a second`,
    ],
    ...rows,
  ]);
}

function formatMemory(): string {
  const rows = [256, 512, 1024, 1769, 3008].map((memory) => {
    const configuration = { ...usual, memory };
    const lines = costOfMillion(configuration, work);
    const start = (ours.firstResponseMs * Math.max(1, 1769 / memory)).toFixed(0);
    return [
      `${memory} MB`,
      `${durationMs(work, configuration)} ms`,
      `${start} ms`,
      dollars(lines['Lambda'] ?? Number.NaN),
      dollars((memory / 1024) * 30 * 86_400 * prices.lambda.provisioned.perGbSecondKept),
    ];
  });
  return formatTable([
    [
      'memory',
      'duration of a token',
      'start to first token',
      'Lambda, a million tokens',
      'one instance kept started, a month',
    ],
    ...rows,
  ]);
}

function formatLoad(): string {
  const rows = [usual, sharing].flatMap((configuration) =>
    [1000, 10_000, 100_000].flatMap((rate) =>
      [1, 3].map((regions) => {
        const { needs, binding, dollarsAMonth } = modelLoad(rate, regions, configuration, work);
        const over = needs.filter(({ need, limit }) => need > limit);
        return [
          thousands(rate),
          String(regions),
          configuration.reused > 0 ? 'yes' : 'no',
          ...needs.map(({ need, limit }) =>
            need > limit ? `**${thousands(need)}**` : thousands(need),
          ),
          binding,
          over.length === 0 ? 'nothing' : over.map(({ raised }) => raised).join(', '),
          `$${thousands(dollarsAMonth)}`,
        ];
      }),
    ),
  );
  const { needs } = modelLoad(1000, 1, usual, work);
  return formatTable([
    [
      'tokens a second',
      'regions',
      'reuse',
      ...needs.map(({ name, limit }) => `${name} (${thousands(limit)})`),
      'used up first',
      'to raise in each region: quotas of these, or this key of the config',
      'a month',
    ],
    ...rows,
  ]);
}

const parts = {
  costs: formatCosts(),
  reuse: formatReuse(),
  memory: formatMemory(),
  load: formatLoad(),
};
writeParts(['cost.md'], parts);
process.stdout.write(`${Object.values(parts).join('\n\n')}\n`);
