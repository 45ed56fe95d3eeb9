/** Milliseconds of a clock that never goes back. */
export type MonotonicClock = () => number;

interface Remembered<T> {
  readonly value: T;
  readonly until: number;
}

/** 10,000 records of a usual size are 10 to 30 MB; the one remembered longest goes first. */
const maxRemembered = 10_000;

/**
 * Remembers what a look-up found. A record is used for at most `seconds` from the moment its read
 * began, so a change that was visible to a read at time t is seen by t + `seconds`. Neither a
 * missing record nor a failure is remembered: a new record is found at once, and a record whose
 * time is over is not used while the store is down.
 */
export function rememberFound<T, Options>(
  find: (key: string, options?: Options) => Promise<T | undefined>,
  seconds: number,
  clock: MonotonicClock,
): (key: string, options?: Options) => Promise<T | undefined> {
  if (seconds === 0) return find;
  const known = new Map<string, Remembered<T>>();

  function keep(key: string, entry: Remembered<T>): void {
    known.delete(key);
    known.set(key, entry);
    const [oldest] = known.keys();
    if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest);
  }

  return async (key, options) => {
    const before = known.get(key);
    const startedAt = clock();
    if (before !== undefined && startedAt < before.until) return before.value;
    known.delete(key);
    const value = await find(key, options);
    if (value !== undefined) keep(key, { value, until: startedAt + seconds * 1000 });
    return value;
  };
}
