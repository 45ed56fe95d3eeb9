/** The time that one request has. */
export interface Deadline {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Ends the deadline when the request is answered. */
  end(): void;
}

/**
 * Starts a deadline. Its timer ends with the request. Timers of `AbortSignal.timeout` would keep
 * answered requests in memory for seconds under load.
 */
export function startDeadline(milliseconds: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}
