/** The time that one request has. */
export interface Deadline {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** The request is answered. */
  end(): void;
}

/**
 * Starts a deadline. Unlike the timer of `AbortSignal.timeout` its timer ends with the request:
 * under load, seconds of answered requests would else be kept in memory by theirs.
 */
export function startDeadline(milliseconds: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}
