import { median, percentile } from '../../bench/statistics.ts';
import type { Measurement } from './service.ts';
import type { Sample } from './traffic.ts';

/** One line for each kind of request. */
export function describeSamples(samples: readonly Sample[]): string {
  const lines = [...Map.groupBy(samples, ({ kind }) => kind)].map(([kind, some]) => {
    const statuses = [...Map.groupBy(some, ({ status }) => status)]
      .toSorted(([a], [b]) => a - b)
      .map(([status, list]) => `${status}: ${list.length}`);
    const times = some.map(({ milliseconds }) => milliseconds);
    const [p50, p99] = [0.5, 0.99].map((share) => percentile(times, share).toFixed(0));
    return `  ${kind}: ${some.length} requests (${statuses.join(', ')}), median ${p50} ms, p99 ${p99} ms\n`;
  });
  return lines.join('');
}

/** How the heap has grown between the first and the last quarter of the measurements. */
export interface Growth {
  /** Share of what it was. */
  readonly share: number;
  readonly percent: string;
  /** Medians in MB. */
  readonly from: string;
  readonly to: string;
}

/** Medians, since one measurement may meet many requests under way. */
export function growthOf(measured: readonly Measurement[]): Growth {
  const quarter = Math.floor(measured.length / 4);
  const first = measured.slice(0, quarter);
  const last = measured.slice(measured.length - quarter);
  const heapOf = (some: readonly Measurement[]): number => median(some.map(({ heap }) => heap));
  const [from, to] = [heapOf(first), heapOf(last)];
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  return {
    share: to / from - 1,
    percent: ((to / from - 1) * 100).toFixed(1),
    from: megabytes(from),
    to: megabytes(to),
  };
}
