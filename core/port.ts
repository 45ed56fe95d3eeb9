/**
 * What every port that does I/O accepts. It rejects with `UnavailableError` if its service does not
 * answer in time, and with `MalformedRecordError` if the one stored item that it reads cannot be read.
 */
export interface PortOptions {
  /** Ends the call when the request's deadline passes. */
  readonly signal?: AbortSignal | undefined;
}

/** The same, for a step that also depends on the time. */
export interface TimedPortOptions extends PortOptions {
  /** Seconds since the epoch. */
  readonly now: number;
}
