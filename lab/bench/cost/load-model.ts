import { requestsOfExecution } from '../../../contract/bounds.ts';
import { throttlesOf } from '../../../contract/routes.ts';
import {
  type Configuration,
  costOfMillion,
  durationMs,
  secondsAMonth,
  type TokenWork,
  total,
} from './token-cost.ts';

/** One quota of an account and region, and what a rate of tokens takes of it. */
interface Quota {
  readonly name: string;
  readonly limit: number;
  /** Whether AWS raises it on request, or the deployment itself. */
  readonly raised: string;
  readonly need: (tokensASecond: number, configuration: Configuration, work: TokenWork) => number;
}

/** Asymmetric KMS calls of one key family that AWS allows unless asked. */
const signQuota = 1000;
const { token: tokenThrottle } = throttlesOf({
  kmsSignQuota: signQuota,
  throttles: {},
  fairShare: { mode: 'enforce' },
  reservedConcurrency: {},
  regions: {},
});

const quotas: readonly Quota[] = [
  {
    name: 'token throttle',
    limit: tokenThrottle.rateLimit,
    raised: '`kmsSignQuota`',
    need: (rate) => rate,
  },
  {
    name: 'KMS Sign',
    limit: signQuota,
    raised: 'KMS',
    need: (rate, { unsigned }) => rate * (1 - unsigned),
  },
  { name: 'API Gateway', limit: 10_000, raised: 'API Gateway', need: (rate) => rate },
  {
    name: 'Lambda',
    limit: 1000,
    raised: 'Lambda',
    need: (rate, configuration, work) =>
      Math.max(rate / requestsOfExecution, (rate * durationMs(work, configuration)) / 1000),
  },
  { name: 'DynamoDB', limit: 40_000, raised: 'DynamoDB', need: (rate) => rate / 2 },
];

interface LoadRow {
  readonly tokensASecond: number;
  readonly regions: number;
  readonly needs: readonly (Omit<Quota, 'need'> & { readonly need: number })[];
  readonly dollarsAMonth: number;
}

/** What a rate of tokens, spread evenly over the regions, takes of each region's quotas. */
export function modelLoad(
  tokensASecond: number,
  regions: number,
  configuration: Configuration,
  work: TokenWork,
): LoadRow {
  const rate = tokensASecond / regions;
  const needs = quotas.map(({ need, ...quota }) => ({
    ...quota,
    need: need(rate, configuration, work),
  }));
  const tokensAMonth = tokensASecond * secondsAMonth;
  const perMillion = total(
    costOfMillion(configuration, work, { tokens: tokensAMonth / regions, others: 0 }),
  );
  return { tokensASecond, regions, needs, dollarsAMonth: (perMillion * tokensAMonth) / 1e6 };
}
