import { Option } from 'commander';
import { lastTime, parseExpiry } from '../core/rfc3339.ts';
import { parseDuration } from './duration.ts';
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
    const expiry = now + parseDuration(expiresIn, '--expires-in', { minimum: 1 });
    if (expiry <= lastTime) return expiry;
    throw new UsageError(
      `--expires-in: received "${expiresIn}"; allowed: an expiry before the year 10000`,
    );
  }
  if (expiresAt === undefined) return undefined;
  const time = parseExpiry(expiresAt);
  if (time !== undefined) return time;
  throw new UsageError(
    `--expires-at: received "${expiresAt}"; allowed: an RFC 3339 time such as 2027-03-31T12:00:00Z, or a day such as 2027-03-31 (the end of that day in UTC)`,
  );
}
