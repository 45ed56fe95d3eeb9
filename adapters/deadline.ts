/** Milliseconds by which a deadline may be late: so many requests share one signal. */
const step = 100;

/**
 * Signals that abort after a time. A signal of its own for each request would cost as much as
 * verifying a token: a timer that nothing stops, and an exception when it fires.
 *
 * @param milliseconds the least time that a request has; it may have {@link step} more.
 * @param clock milliseconds of a clock that never goes back.
 * @returns the signal for a request that begins now. Listen to it: Node may collect a signal that
 *   has no listener, and then it never aborts.
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

/** The time that one call may take. */
interface Deadline {
  /** Aborts when the time is over, and with the caller's own signal. */
  readonly signal: AbortSignal;
  /** Stops the timer. */
  readonly end: () => void;
}

/**
 * Begins a deadline that holds until it ends. The timer holds the signal: Node 22 collects a signal
 * of AbortSignal.timeout that only AbortSignal.any refers to, and then neither of them aborts.
 *
 * @param outer a signal of the caller.
 */
export function beginDeadline(milliseconds: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  const timer = setTimeout(() => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, milliseconds);
  // What it bounds keeps the process running.
  timer.unref();
  if (outer?.aborted === true) abort();
  else outer?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}

/**
 * Runs one call with a deadline.
 *
 * @param run must settle when its signal aborts.
 */
export async function inTime<T>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = beginDeadline(milliseconds, outer);
  try {
    return await run(deadline.signal);
  } finally {
    deadline.end();
  }
}
