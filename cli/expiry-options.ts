import { lastTime } from '../contract/bounds.ts';
import { parseDuration } from '../core/duration.ts';
import { expiryOrTyped } from '../core/time.ts';
import { type OptionValues, option } from './command-spec.ts';
import { refuseUsage } from './usage-error.ts';

/** `--expires-in` and `--expires-at`. Only one can be given. */
export function expiryOptions() {
  return [
    option('--expires-in <duration>', 'how long it is valid, e.g. 90d', 'expiresAt').conflicts(
      'expiresAt',
    ),
    option('--expires-at <time>', 'when it expires, RFC 3339, or the day, e.g. 2027-03-31'),
  ] as const;
}

/** Of a command that changes an expiry. */
export function neverExpiresOption() {
  return option('--never-expires', 'remove its expiry').conflicts(['expiresAt', 'expiresIn']);
}

/**
 * @param now seconds since the epoch.
 * @returns seconds since the epoch; undefined if neither option was given.
 */
export function readExpiry(
  options: OptionValues<ReturnType<typeof expiryOptions>>,
  now: number,
): number | undefined {
  const { expiresIn, expiresAt } = options;
  if (expiresIn !== undefined) {
    const seconds = parseDuration(expiresIn) ?? 0;
    if (seconds > 0 && now + seconds <= lastTime) return now + seconds;
    const allowed = seconds > 0 ? 'an expiry before the year 10000' : '1s or more, such as 90d';
    return refuseUsage('--expires-in', expiresIn, allowed);
  }
  return expiresAt === undefined ? undefined : expiryOrTyped(expiresAt);
}
