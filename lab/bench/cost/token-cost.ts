import type { Alg } from '../../../contract/signing-algorithms.ts';
import { prices } from './prices.ts';

/** One way to run the service. */
export interface Configuration {
  readonly name: string;
  readonly alg: Alg;
  /** Of the token function, in megabytes. */
  readonly memory: number;
  /** Share of requests that get no signature: those that are refused. */
  readonly unsigned: number;
  readonly webAcl: boolean;
  readonly tracing?: 'on';
  /** Lambda reports only what fails. */
  readonly reports?: 'failures';
  /** What else reads the account's management events, of which each Sign is one. */
  readonly watchers?: { readonly furtherTrails: number; readonly guardDuty: boolean };
}

/** What a token takes. Times are milliseconds, sizes bytes. */
export interface TokenWork {
  /** Of a whole vCPU. */
  readonly cpuMs: number;
  /** Waiting for KMS and DynamoDB. */
  readonly waitMs: number;
  readonly signWaitMs: number;
  /** Log line with its metrics, Lambda's report, the gateway's access log. */
  readonly logBytes: number;
  /** Of these, what a request leaves that no function writes about: the report and the access log. */
  readonly silentLogBytes: number;
  /** Of these, Lambda's report. */
  readonly reportBytes: number;
  /** What leaves AWS: headers and body. */
  readonly responseBytes: number;
}

/** Requests that reach one region in a month, spread over it at random. */
export interface Traffic {
  readonly tokens: number;
  /** Others that API Gateway traces: those of health checks. */
  readonly others: number;
}

/** Dollars for a million tokens, by what they are paid for. */
export type CostLines = Readonly<Record<string, number>>;

/** One vCPU whole; less memory is as much less of it. */
const wholeCpuMemory = 1769;
const million = 1e6;
const gigabyte = 1e9;
export const secondsAMonth = 30 * 86_400;

/**
 * Traces of requests at random moments of a month. X-Ray's default rule records the first request
 * of each second, of an account and region, and 5 % of the others of that second:
 * https://docs.aws.amazon.com/xray/latest/devguide/xray-console-sampling.html, November 2026.
 */
export function countTraces(requestsAMonth: number): number {
  const first = secondsAMonth * (1 - Math.exp(-requestsAMonth / secondsAMonth));
  return first + 0.05 * (requestsAMonth - first);
}

/** For a million tokens; the other requests of the region have used up a part of the first ones. */
function costOfTraces({ tokens, others }: Traffic): number {
  const traces = countTraces(tokens + others) - countTraces(others);
  return (traces / tokens) * prices.xray.perMillionTraces;
}

/** Lambda bills whole milliseconds. */
export function durationMs(work: TokenWork, configuration: Configuration): number {
  const slowdown = Math.max(1, wholeCpuMemory / configuration.memory);
  const wait = work.waitMs - configuration.unsigned * work.signWaitMs;
  return Math.ceil(work.cpuMs * slowdown + wait);
}

function signCost({ alg, unsigned }: Configuration): number {
  const { per10kRsa2048, per10kOther } = prices.kms;
  const each = (alg === 'RS256' || alg === 'PS256' ? per10kRsa2048 : per10kOther) / 10_000;
  return each * million * (1 - unsigned);
}

/** A month's REST API at so many requests, a million of them on average. */
function restApiPerMillion(requestsAMonth: number): number {
  let below = 0;
  let total = 0;
  for (const { upTo, perMillion } of prices.restApiTiers) {
    const inTier = Math.max(0, Math.min(requestsAMonth, upTo) - below);
    total += (inTier / million) * perMillion;
    below = upTo;
  }
  return (total / requestsAMonth) * million;
}

/** Half a unit for the eventually consistent read of the client. */
const dynamoDbCost = prices.dynamodb.perMillionReadUnits / 2;

/** Months for which every log is kept. */
const keptMonths = 13;

/** A month's logs, each gigabyte of them on average. */
function ingestionPerGb(gigabytesAMonth: number): number {
  let below = 0;
  let total = 0;
  for (const { upToGb, perGb } of prices.logs.ingestTiers) {
    total += Math.max(0, Math.min(gigabytesAMonth, upToGb) - below) * perGb;
    below = upToGb;
  }
  return total / gigabytesAMonth;
}

/**
 * Arrives once and is then kept, compressed.
 *
 * @param gigabytesAMonth all that the region logs, if that is more.
 */
export function costOfLog(gigabytes: number, gigabytesAMonth = gigabytes): number {
  if (gigabytes === 0) return 0;
  const { perGbMonthKept, keptShare } = prices.logs;
  return gigabytes * (ingestionPerGb(gigabytesAMonth) + keptShare * keptMonths * perGbMonthKept);
}

function watchersCost({ watchers, unsigned }: Configuration): number {
  if (watchers === undefined) return 0;
  const perMillion =
    watchers.furtherTrails * prices.furtherTrailPerMillionEvents +
    (watchers.guardDuty ? prices.guardDutyPerMillionEvents : 0);
  return perMillion * (1 - unsigned);
}

export function costOfMillion(
  configuration: Configuration,
  work: TokenWork,
  traffic: Traffic = { tokens: million, others: 0 },
): CostLines {
  const { lambda, webAcl, perGbOut } = prices;
  const logBytes = work.logBytes - (configuration.reports === 'failures' ? work.reportBytes : 0);
  const gbSeconds = (durationMs(work, configuration) / 1000) * (configuration.memory / 1024);
  return {
    'API Gateway': restApiPerMillion(traffic.tokens),
    'KMS Sign': signCost(configuration),
    Lambda: lambda.perMillionRequests + gbSeconds * million * lambda.perGbSecond,
    logs: costOfLog(
      (logBytes * million) / gigabyte,
      (logBytes * Math.max(million, traffic.tokens)) / gigabyte,
    ),
    traces: configuration.tracing === 'on' ? costOfTraces(traffic) : 0,
    'data out': (work.responseBytes * million * perGbOut) / gigabyte,
    DynamoDB: dynamoDbCost,
    // Its log has only what it stops.
    WAF: configuration.webAcl ? webAcl.perMillionRequests : 0,
    'further trails, GuardDuty': watchersCost(configuration),
  };
}

export function total(lines: CostLines): number {
  return Object.values(lines).reduce((sum, value) => sum + value, 0);
}
