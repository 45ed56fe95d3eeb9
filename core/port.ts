/** What every port that does I/O accepts. */
export interface PortOptions {
  /** Ends the call when the request's deadline passes. */
  readonly signal?: AbortSignal | undefined;
}
