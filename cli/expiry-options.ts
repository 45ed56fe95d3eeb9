import { Option } from 'commander';
import { parseDuration } from '../core/duration.ts';
import { expiryOrTyped, lastTime } from '../core/rfc3339.ts';
import { UsageError } from './usage-error.ts';

export interface ExpiryOptions {
  readonly expiresIn?: string;
  readonly expiresAt?: string;
}

/** `--expires-in` and `--expires-at`. Only one can be given. */
export function expiryOptions(): readonly Option[] {
  return [
    new Option('--expires-in <duration>', 'how long it is valid, e.g. 90d').conflicts('expiresAt'),
    new Option('--expires-at <time>', 'when it expires, RFC 3339, or the day, e.g. 2027-03-31'),
  ];
}

/** Of a command that changes an expiry. */
export function neverExpiresOption(): Option {
  return new Option('--never-expires', 'remove its expiry').conflicts(['expiresAt', 'expiresIn']);
}

/**
 * @param now seconds since the epoch.
 * @returns seconds since the epoch; undefined if neither option was given.
 */
export function readExpiry(options: ExpiryOptions, now: number): number | undefined {
  const { expiresIn, expiresAt } = options;
  if (expiresIn !== undefined) {
    const seconds = parseDuration(expiresIn) ?? 0;
    if (seconds > 0 && now + seconds <= lastTime) return now + seconds;
    const allowed = seconds > 0 ? 'an expiry before the year 10000' : '1s or more, such as 90d';
    throw new UsageError(`--expires-in: received "${expiresIn}"; allowed: ${allowed}`);
  }
  return expiresAt === undefined ? undefined : expiryOrTyped(expiresAt);
}
