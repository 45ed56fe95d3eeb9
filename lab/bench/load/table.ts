import { formatColumns } from '../../support/generated-parts.ts';
import { findFirstLimit, type JoinedSummary, type LoadSummary, type Usage } from './summary.ts';

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
    'its band': ({ summary: { p99Band } }) =>
      `${milliseconds(p99Band.lowest)} to ${milliseconds(p99Band.highest)}`,
    'p99.9': ({ summary }) => milliseconds(summary.p999Ms),
    errors: ({ summary }) => formatErrors(summary.errors),
    signatures: ({ summary }) => summary.signatures,
    'in the busiest second': ({ summary }) => summary.busiestSecond,
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
