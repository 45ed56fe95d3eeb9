import { BoundedMap } from '../../../core/bounded-map.ts';

/** Milliseconds of a clock that never goes back. */
export type MonotonicClock = () => number;

interface Remembered<T> {
  readonly value: T;
  readonly until: number;
}

/**
 * 10,000 records of a usual size take 10 to 30 MB. When it is full, the oldest is
 * removed.
 */
const maxRemembered = 10_000;

/**
 * Caches the results of a look-up. A record is used for at most `seconds` from the start of its
 * read, so a change that a read could see at time t takes effect by t + `seconds`. Missing records
 * and failures are not cached: a new record is found at once, and an expired record is not used
 * when the store is down.
 */
export function rememberFound<T, Options>(
  find: (key: string, options?: Options) => Promise<T | undefined>,
  seconds: number,
  clock: MonotonicClock,
): (key: string, options?: Options) => Promise<T | undefined> {
  if (seconds === 0) return find;
  const known = new BoundedMap<string, Remembered<T>>(maxRemembered);

  return async (key, options) => {
    const before = known.get(key);
    const startedAt = clock();
    if (before !== undefined && startedAt < before.until) return before.value;
    known.delete(key);
    const value = await find(key, options);
    if (value !== undefined) known.set(key, { value, until: startedAt + seconds * 1000 });
    return value;
  };
}
