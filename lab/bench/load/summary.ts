import { formatColumns } from '../../support/generated-parts.ts';
import { type Band, bandOf, medianOf, percentile } from '../statistics.ts';
import type { Sample } from './traffic.ts';

/** What one kind of traffic did to one server. */
export interface LoadSummary {
  readonly requests: number;
  /** Tokens a second, from the first arrival to the last answer. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** By message. */
  readonly errors: Readonly<Record<string, number>>;
  /** Tokens that differ: each took a signature. */
  readonly signatures: number;
  /** Signatures in the second that had most of them. */
  readonly busiestSecond: number;
}

/** @returns how many of these times, in milliseconds, are within the second that has most. */
export function countBusiestSecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let from = 0;
  let most = 0;
  for (const [index, time] of sorted.entries()) {
    while (time - (sorted[from] ?? time) >= 1000) from += 1;
    most = Math.max(most, index - from + 1);
  }
  return most;
}

function addErrors(counts: Iterable<readonly [error: string, count: number]>) {
  const errors: Record<string, number> = {};
  for (const [error, count] of counts) errors[error] = (errors[error] ?? 0) + count;
  return errors;
}

/** When each token was first seen. */
function firstSeen(samples: readonly Sample[]): readonly number[] {
  const seen = new Map<string, number>();
  for (const { token, answeredAt } of samples) {
    if (token === undefined) continue;
    seen.set(token, Math.min(answeredAt, seen.get(token) ?? answeredAt));
  }
  return [...seen.values()];
}

export function summarise(samples: readonly Sample[]): LoadSummary {
  const latencies = samples.map(({ arrivedAt, answeredAt }) => answeredAt - arrivedAt);
  const answered = samples.filter(({ token }) => token !== undefined);
  const end = Math.max(...samples.map(({ answeredAt }) => answeredAt));
  const signed = firstSeen(samples);
  return {
    requests: samples.length,
    perSecond: (answered.length * 1000) / end,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    p999Ms: percentile(latencies, 0.999),
    errors: addErrors(samples.flatMap(({ error }) => (error === undefined ? [] : [[error, 1]]))),
    signatures: signed.length,
    busiestSecond: countBusiestSecond(signed),
  };
}

/** The median of several rounds, and the errors of all of them. */
export interface JoinedSummary extends LoadSummary {
  readonly p99Band: Band;
}

export function joinSummaries(rounds: readonly LoadSummary[]): JoinedSummary {
  const errors = addErrors(rounds.flatMap((round) => Object.entries(round.errors)));
  return { ...medianOf(rounds), errors, p99Band: bandOf(rounds.map(({ p99Ms }) => p99Ms)) };
}

/** How much of each thing was used, as a share of what there is. */
export type Usage = Readonly<Record<string, number>>;

/** @returns what is used up first if there is more of the same traffic. */
export function findFirstLimit(usage: Usage): string {
  const [first] = Object.entries(usage).toSorted(([, a], [, b]) => b - a);
  return first === undefined ? '–' : `${first[0]}, ${Math.round(first[1] * 100)} %`;
}

/** One kind of traffic at one server. */
export interface LoadRow {
  readonly traffic: string;
  readonly server: string;
  readonly summary: JoinedSummary;
  readonly usage: Usage;
}

/** Signatures of requests for the same token that arrive at once, at an instance that has none. */
export interface FirstRequests {
  readonly reuse: string;
  readonly instances: number;
  readonly requests: number;
  /** Sign requests that KMS received. */
  readonly signatures: number;
  /** Requests that got no token. */
  readonly errors: number;
}

function formatErrors(errors: LoadSummary['errors']): string {
  const texts = Object.entries(errors).map(([error, count]) => `${count} × ${error}`);
  return texts.join(', ') || 'none';
}

const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

export function formatLoad(rows: readonly LoadRow[]): string {
  return formatColumns(rows, {
    traffic: ({ traffic }) => traffic,
    server: ({ server }) => server,
    requests: ({ summary }) => summary.requests,
    'tokens a second': ({ summary }) => summary.perSecond.toFixed(0),
    p50: ({ summary }) => milliseconds(summary.p50Ms),
    p99: ({ summary }) => milliseconds(summary.p99Ms),
    errors: ({ summary }) => formatErrors(summary.errors),
    'signatures in the busiest second': ({ summary }) => summary.busiestSecond,
    'used up first': ({ usage }) => findFirstLimit(usage),
  });
}

export function formatFirstRequests(rows: readonly FirstRequests[]): string {
  return formatColumns(rows, {
    'token reuse': ({ reuse }) => reuse,
    instances: ({ instances }) => instances,
    'requests at once': ({ requests }) => requests,
    signatures: ({ signatures }) => signatures,
    errors: ({ errors }) => errors,
  });
}
