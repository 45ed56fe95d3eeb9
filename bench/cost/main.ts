import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { formatTable, replacePart } from '../report/markdown.ts';
import type { Results } from '../results.ts';
import { modelLoad } from './load-model.ts';
import { prices } from './prices.ts';
import {
  type Configuration,
  costOfMillion,
  durationMs,
  type TokenWork,
  total,
} from './token-cost.ts';

const root = resolve(import.meta.dirname, '../..');
const measured = JSON.parse(readFileSync(join(root, 'bench/results/full.json'), 'utf8')) as Results;

/** Bytes, by looking at one of each. */
const logBytes = {
  'log line': 760,
  metrics: 480,
  "Lambda's start, end and report": 900,
  'access log': 480,
};

function findReused(share: number, instances: number): number {
  const point = measured.reuse.find(
    (each) => each.minimumRemainingShare === share && each.instances === instances,
  );
  return point === undefined ? Number.NaN : 1 - point.signs / point.tokens;
}

const { delays, ours } = measured.token;
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
const reusing = { ...usual, reused: findReused(0.5, 4) };

const configurations: readonly Configuration[] = [
  usual,
  { ...usual, name: '512 MB', memory: 512 },
  { ...usual, name: 'with a web ACL', webAcl: true },
  { ...reusing, name: 'token reuse, share 0.5, 4 instances' },
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

function formatMemory(): string {
  const rows = [256, 512, 1024, 1769, 3008].map((memory) => {
    const configuration = { ...usual, memory };
    const lines = costOfMillion(configuration, work);
    const start = (measured.token.ours.firstResponseMs * Math.max(1, 1769 / memory)).toFixed(0);
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
  const rows = [usual, reusing].flatMap((configuration) =>
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

const path = join(root, 'docs/cost.md');
const parts = { costs: formatCosts(), memory: formatMemory(), load: formatLoad() };
const page = Object.entries(parts).reduce(
  (text, [name, content]) => replacePart(text, name, content),
  readFileSync(path, 'utf8'),
);
writeFileSync(path, page);
process.stdout.write(`${parts.costs}\n\n${parts.memory}\n\n${parts.load}\n`);
