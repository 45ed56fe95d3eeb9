import { formatTable } from '../../support/generated-parts.ts';
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

export function formatLoad(rows: readonly LoadRow[]): string {
  const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  return formatTable([
    [
      'traffic',
      'server',
      'requests',
      'tokens a second',
      'p50',
      'p99',
      'its band',
      'p99.9',
      'errors',
      'Signs',
      'in the busiest second',
      'used up first',
    ],
    ...rows.map(({ traffic, server, summary, usage }) => [
      traffic,
      server,
      String(summary.requests),
      summary.perSecond.toFixed(0),
      milliseconds(summary.p50Ms),
      milliseconds(summary.p99Ms),
      `${milliseconds(summary.p99Band.lowest)} to ${milliseconds(summary.p99Band.highest)}`,
      milliseconds(summary.p999Ms),
      formatErrors(summary.errors),
      String(summary.signatures),
      String(summary.busiestSecond),
      findFirstLimit(usage),
    ]),
  ]);
}

export function formatFirstRequests(rows: readonly FirstRequests[]): string {
  return formatTable([
    ['token reuse', 'instances', 'requests at once', 'Signs', 'errors'],
    ...rows.map(({ reuse, instances, requests, signatures, errors }) =>
      [reuse, instances, requests, signatures, errors].map(String),
    ),
  ]);
}
