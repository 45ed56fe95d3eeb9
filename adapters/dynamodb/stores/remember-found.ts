import { providerHold } from '../../../contract/bounds.ts';
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { IdentityProviderReader } from '../../../core/identity-provider/identity-provider.ts';
import type { PortOptions } from '../../../core/port.ts';

/** Milliseconds of a clock that never goes back. */
export type MonotonicClock = () => number;

interface Remembered<T> {
  readonly value: T;
  /** When its read began. */
  readonly readAt: number;
  isRefreshing: boolean;
}

/** 10,000 records of a usual size take 10 to 30 MB. When it is full, the oldest is removed. */
const maxRemembered = 10_000;

/**
 * Caches the results of a look-up. A record is used for at most `seconds` from the start of its
 * read, so a change that a read could see at time t takes effect by t + `seconds`. Missing records
 * and failures are not cached: a new record is found at once, and an expired record is not used
 * when the store is down.
 *
 * @param refreshAfter seconds from which a record that is used is read again in the background, so
 *   no request waits for one that is used all the time. The default is not before it expires.
 */
export function rememberFound<T, Options>(
  find: (key: string, options?: Options) => Promise<T | undefined>,
  seconds: number,
  clock: MonotonicClock,
  refreshAfter = seconds,
): (key: string, options?: Options) => Promise<T | undefined> {
  if (seconds === 0) return find;
  const known = new BoundedMap<string, Remembered<T>>(maxRemembered);

  async function read(key: string, options?: Options): Promise<T | undefined> {
    const readAt = clock();
    const value = await find(key, options);
    if (value === undefined) known.delete(key);
    else known.set(key, { value, readAt, isRefreshing: false });
    return value;
  }

  return async (key, options) => {
    const before = known.get(key);
    const age = before === undefined ? Number.POSITIVE_INFINITY : clock() - before.readAt;
    if (before === undefined || age >= seconds * 1000) {
      known.delete(key);
      return read(key, options);
    }
    if (age >= refreshAfter * 1000 && !before.isRefreshing) {
      before.isRefreshing = true;
      // Without the signal of this request. A failure leaves the record until it expires.
      read(key).catch(() => {
        before.isRefreshing = false;
      });
    }
    return before.value;
  };
}

/** Every token of a provider needs its record, so no process reads it for each of them. */
export function holdProviders<Reader extends IdentityProviderReader>(
  reader: Reader,
  seconds = 0,
  clock: MonotonicClock = () => performance.now(),
): Reader {
  const longest = Math.max(seconds, providerHold.seconds);
  const find = (issuer: string, options?: PortOptions) =>
    reader.findIdentityProvider(issuer, options);
  return {
    ...reader,
    findIdentityProvider: rememberFound(find, longest, clock, providerHold.refreshAfter),
  };
}
