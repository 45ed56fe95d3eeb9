import { parseDuration as readDuration } from '../core/duration.ts';
import { UsageError } from './usage-error.ts';

/**
 * Reads `90d`, `1h`, `30m`, `45s`, `2w`, or a plain number of seconds.
 *
 * @param flag the option that the text belongs to, for the message.
 */
export function parseDuration(text: string, flag: string): number {
  const seconds = readDuration(text);
  if (seconds !== undefined) return seconds;
  throw new UsageError(
    `${flag}: received "${text}"; allowed: a number of seconds, or with a unit: 45s, 30m, 1h, 90d, 2w`,
  );
}
