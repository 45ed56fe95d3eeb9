/** Milliseconds by which a deadline may be late: so many requests share one signal. */
const step = 100;

/**
 * Signals that abort after a time. A signal of its own for each request would cost as much as
 * verifying a token: a timer that nothing stops, and an exception when it fires.
 *
 * @param milliseconds the least time that a request has; it may have {@link step} more.
 * @param clock milliseconds of a clock that never goes back.
 * @returns the signal for a request that begins now.
 */
export function createDeadlines(
  milliseconds: number,
  clock: () => number = () => performance.now(),
): () => AbortSignal {
  let signal = AbortSignal.abort();
  let until = 0;
  return () => {
    const time = clock();
    if (signal.aborted || time >= until) {
      signal = AbortSignal.timeout(milliseconds + step);
      until = time + step;
    }
    return signal;
  };
}

/**
 * A signal that aborts after a time, also if nothing but AbortSignal.any refers to it: Node 22
 * collects such a signal unless it has a listener, and then it never aborts.
 */
export function timeoutSignal(milliseconds: number): AbortSignal {
  const signal = AbortSignal.timeout(milliseconds);
  signal.addEventListener('abort', () => {}, { once: true });
  return signal;
}
