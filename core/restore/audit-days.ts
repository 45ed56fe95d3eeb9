import { secondsPerDay } from '../../contract/limits.ts';
import { formatDay } from '../rfc3339.ts';

/**
 * Partitions of the audit that hold every change made since a time. A record is filed under the day
 * of the caller's clock, and its intent is written before the change. One day on either side covers
 * every clock that AWS accepts, and costs one query each.
 *
 * @param from first moment that counts, seconds since the epoch.
 * @param now seconds since the epoch.
 */
export function auditDays(from: number, now: number): readonly string[] {
  const first = Math.floor(from / secondsPerDay) - 1;
  const last = Math.floor(now / secondsPerDay) + 1;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    formatDay((first + index) * secondsPerDay),
  );
}
