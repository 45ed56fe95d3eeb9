import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import singleRegion from '../../../config/single-region.json' with { type: 'json' };
import { requestsOfExecution } from '../../../contract/bounds.ts';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { formatColumns } from '../../support/generated-parts.ts';
import type { Results } from '../rounds.ts';
import { medianOf } from '../statistics.ts';
import { costOfGuard, costOfGuardAlarms, guards } from './guard-cost.ts';
import { modelLoad } from './load-model.ts';
import {
  type CostModel,
  describePrices,
  dollars,
  formatMonth,
  formatPortal,
  formatPrice,
  formatTotals,
  readDeployments,
} from './months.ts';
import { pricePages, prices, pricesReadOn } from './prices.ts';
import {
  type Configuration,
  type CostLines,
  costOfMillion,
  durationMs,
  secondsAMonth,
  type TokenWork,
  total,
} from './token-cost.ts';

const measured = JSON.parse(
  readFileSync(join(import.meta.dirname, '../results/full.json'), 'utf8'),
) as Results;

/** Bytes, by looking at one of each. */
const logBytes = {
  'log line, with its metrics': 830,
  "Lambda's start, end and report": 900,
  'access log': 480,
};
/** Of the authorizer, whose line has no metrics. The access log is the platform API's own. */
const guardLogBytes = 560 + logBytes["Lambda's start, end and report"];

const { token, pairs } = medianOf(measured.rounds);
const { delays, ours } = token;
const work: TokenWork = {
  cpuMs: ours.cpuUs / 1000,
  waitMs: delays.kms + delays.dynamodb,
  signWaitMs: delays.kms,
  logBytes: Object.values(logBytes).reduce((sum, bytes) => sum + bytes, 0),
  silentLogBytes: logBytes["Lambda's start, end and report"] + logBytes['access log'],
  reportBytes: logBytes["Lambda's start, end and report"],
  responseBytes: 2000,
};

const usual: Configuration = {
  name: 'default: RS256, 1,769 MB',
  alg: 'RS256',
  memory: 1769,
  unsigned: 0,
  webAcl: false,
};
/** The default, as measured. */
export const costModel: CostModel = { usual, work };

const configurations: readonly Configuration[] = [
  usual,
  { ...usual, name: '512 MB', memory: 512 },
  { ...usual, name: 'with a web ACL', webAcl: true },
  { ...usual, name: '`tracing` on', tracing: 'on' },
  { ...usual, name: '`functionReports` of failures', reports: 'failures' },
  { ...usual, name: 'ES256', alg: 'ES256' },
  { ...usual, name: 'ML-DSA-44', alg: 'ML-DSA-44' },
  {
    ...usual,
    name: 'a second trail that keeps KMS events',
    watchers: { furtherTrails: 1, guardDuty: false },
  },
  {
    ...usual,
    name: 'GuardDuty, if it bills each Sign',
    watchers: { furtherTrails: 0, guardDuty: true },
  },
];

const thousands = (value: number) => Math.round(value).toLocaleString('en-US');

const costs = (configuration: Configuration) => costOfMillion(configuration, work);
const line = (name: string) => (configuration: Configuration) =>
  dollars(costs(configuration)[name] ?? Number.NaN);
const sum = (configuration: Configuration) => total(costs(configuration));

/** The lines of the default, the largest first. */
function formatLines(): string {
  const lines = Object.entries(costs(usual)).filter(([, value]) => value > 0);
  return formatColumns(
    lines.sort(([, a], [, b]) => b - a),
    {
      'a million tokens': ([name]) => name,
      default: ([, value]) => dollars(value),
      share: ([, value]) => `${Math.round((value / sum(usual)) * 100)} %`,
    },
  );
}

/** The lines that are not those of the default. */
function describeDifferences(configuration: Configuration): string {
  const changed = Object.entries(costs(configuration))
    .map(([name, value]) => [name, dollars(value)])
    .filter(([name = '', value]) => value !== line(name)(usual));
  return changed.map(([name, value]) => `${name} ${value}`).join(', ') || 'none';
}

function formatCosts(): string {
  const cognito = prices.cognito.perThousandTokens * 1000;
  return formatColumns(configurations, {
    'a million tokens': ({ name }) => name,
    together: (configuration) => `**${dollars(sum(configuration))}**`,
    'other lines than the default': describeDifferences,
    'of Cognito': (configuration) => `${((sum(configuration) / cognito) * 100).toFixed(2)} %`,
  });
}

function formatMemory(): string {
  const { perGbSecondKept } = prices.lambda.provisioned;
  return formatColumns(
    [256, 512, 1024, 1769, 3008].map((memory) => ({ ...usual, memory })),
    {
      memory: ({ memory }) => `${memory} MB`,
      'duration of a token': (configuration) => `${durationMs(work, configuration)} ms`,
      'start to first token': ({ memory }) =>
        `${(ours.firstResponseMs * Math.max(1, 1769 / memory)).toFixed(0)} ms`,
      'Lambda, a million tokens': line('Lambda'),
      'one instance kept started, a month': ({ memory }) =>
        dollars((memory / 1024) * 30 * 86_400 * perGbSecondKept),
    },
  );
}

function formatLoad(): string {
  const loads = [1000, 10_000, 100_000].flatMap((rate) =>
    [1, 3].map((regions) => modelLoad(rate, regions, usual, work)),
  );
  const quotas = loads[0]?.needs ?? [];
  const formatNeed = ({ need, limit }: (typeof quotas)[number]) =>
    need > limit ? `**${thousands(need)}**` : thousands(need);
  type Load = (typeof loads)[number];
  const needs = quotas.map((quota, index): [string, (load: Load) => string] => [
    `${quota.name} (${thousands(quota.limit)})`,
    (load) => formatNeed(load.needs[index] ?? quota),
  ]);
  return formatColumns(loads, {
    'tokens a second': ({ tokensASecond }) => thousands(tokensASecond),
    regions: ({ regions }) => regions,
    ...Object.fromEntries(needs),
    'to raise': (load) => {
      const over = load.needs.filter(({ need, limit }) => need > limit);
      return over.map(({ raised }) => raised).join(', ') || 'nothing';
    },
    'a month': ({ dollarsAMonth }) => `$${thousands(dollarsAMonth)}`,
  });
}

/** A day at the highest throttle of one region. Refused requests count as tokens without a signature. */
function formatFlood(): string {
  const { fairShare, kmsSignQuota } = parseDeploymentConfig(singleRegion);
  const floods = [0.8 * kmsSignQuota, 2 * kmsSignQuota].map((rate) => {
    const cost = (signed: number) => {
      const unsigned = 1 - Math.min(signed, kmsSignQuota, rate) / rate;
      return modelLoad(rate, 1, { ...usual, unsigned }, work).dollarsAMonth / 30;
    };
    const ofOneClient = ((rate / requestsOfExecution) * fairShare.signsPerMinute) / 60;
    return { rate, oneClient: cost(ofOneClient), others: cost(rate), none: cost(0) };
  });
  return formatColumns(floods, {
    'requests a second, all day': ({ rate }) => thousands(rate),
    'no credential': ({ none }) => `$${thousands(none)}`,
    'one client, by `fairShare`': ({ oneClient }) => `$${thousands(oneClient)}`,
    'many clients': ({ others }) => `$${thousands(others)}`,
  });
}

/** What a million requests of a platform API take, with nothing cached. */
export function costsOfGuard(guard: (typeof guards)[number]): CostLines {
  const { authorizerToken, authorizerApiKey } = pairs;
  const warm = (guard.reads ? authorizerApiKey : authorizerToken)?.warm;
  const guarding = { ...work, cpuMs: (warm?.ours ?? Number.NaN) / 1000, logBytes: guardLogBytes };
  return costOfGuard(guard, usual, guarding);
}

/** What guards a platform API, with nothing cached. @param bundles folder of the function bundles. */
function formatGuards(bundles: string): string {
  const alarms = dollars(costOfGuardAlarms(bundles));
  const cell = (name: string) => (guard: (typeof guards)[number]) =>
    dollars(costsOfGuard(guard)[name] ?? Number.NaN);
  return formatColumns(guards, {
    'a million requests of your API': ({ name }) => name,
    together: (guard) => `**${dollars(total(costsOfGuard(guard)))}**`,
    Lambda: cell('Lambda'),
    logs: cell('logs'),
    DynamoDB: cell('DynamoDB'),
    'alarms, a month': ({ isFunction }) => (isFunction ? alarms : '$0.00'),
    // Of which the function costs as much as a container does.
    'for $10, a second': (guard) => {
      const { Lambda = 0, logs = 0 } = costsOfGuard(guard);
      return guard.isFunction ? (10e6 / ((Lambda + logs) * secondsAMonth)).toFixed(1) : '–';
    },
  });
}

function formatSources(): string {
  const pages = Object.entries(pricePages).map(([name, url]) => `[${name}](${url})`);
  return `Prices of ${pricesReadOn}, us-west-2: ${pages.join(', ')}.`;
}

/**
 * The generated parts of docs/cost.md, docs/compare.md and README.
 *
 * @param bundles folder of the function bundles.
 */
export function computeParts(bundles: string): Readonly<Record<string, string>> {
  const deployments = readDeployments(bundles);
  const model = costModel;
  return {
    ...describePrices(deployments, model),
    price: formatPrice(deployments, model),
    sources: formatSources(),
    totals: formatTotals(deployments, model),
    month: formatMonth(deployments, model),
    portal: formatPortal(bundles),
    lines: formatLines(),
    costs: formatCosts(),
    guards: formatGuards(bundles),
    memory: formatMemory(),
    load: formatLoad(),
    flood: formatFlood(),
  };
}
