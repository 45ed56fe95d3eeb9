import { formatDuration, parseDuration as readDuration } from '../core/duration.ts';
import { UsageError } from './usage-error.ts';

/** Seconds that an option may have. */
interface Bounds {
  readonly minimum: number;
  readonly maximum?: number;
}

function describeBounds({ minimum, maximum }: Bounds): string {
  const from = formatDuration(minimum);
  return maximum === undefined ? `${from} or more` : `${from} to ${formatDuration(maximum)}`;
}

/**
 * Reads `90d`, `1h`, `30m`, `45s`, `2w`, or a plain number of seconds.
 *
 * @param flag the option that the text belongs to, for the message.
 * @throws {UsageError} with the text as it was typed.
 */
export function parseDuration(text: string, flag: string, bounds: Bounds = { minimum: 0 }): number {
  const seconds = readDuration(text);
  if (seconds === undefined) {
    throw new UsageError(
      `${flag}: received "${text}"; allowed: a number of seconds, or with a unit: 45s, 30m, 1h, 90d, 2w`,
    );
  }
  if (seconds < bounds.minimum || seconds > (bounds.maximum ?? seconds)) {
    throw new UsageError(`${flag}: received "${text}"; allowed: ${describeBounds(bounds)}`);
  }
  return seconds;
}
