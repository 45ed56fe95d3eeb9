/** Timeouts and retries of one kind of caller. Times are milliseconds. */
export interface CallProfile {
  readonly connectionTimeout: number;
  /** From the request to the whole response; to its headers in a client of the SDK. */
  readonly requestTimeout: number;
  /** Attempts of one call, the first included. */
  readonly maxAttempts: number;
  /** Upper end of the first retry's random delay; it doubles with each further one. */
  readonly retryDelay: number;
  /** Retries that a new client may make before its first success. */
  readonly initialRetries: number;
  /** Retries that successes can save up. */
  readonly maxSavedRetries: number;
}

export type CallProfileName = 'request' | 'optional' | 'background';

export const callProfiles: Readonly<Record<CallProfileName, CallProfile>> = {
  /**
   * A client waits for an HTTP response. Both services answer in milliseconds within a region. A
   * lost SYN is sent again after 1 s, so another connection is tried after 500 ms. When there is no
   * answer after 2 s, none will come in time. The caller's signal is the deadline.
   */
  request: {
    connectionTimeout: 500,
    requestTimeout: 2000,
    maxAttempts: 3,
    retryDelay: 50,
    initialRetries: 2,
    maxSavedRetries: 10,
  },
  /**
   * A request can be answered without the call, and waits for it a few milliseconds at most. After
   * half a second, the call only occupies a connection.
   */
  optional: {
    connectionTimeout: 500,
    requestTimeout: 500,
    maxAttempts: 1,
    retryDelay: 0,
    initialRetries: 0,
    maxSavedRetries: 0,
  },
  /**
   * Rotation, authctl and set-up: one run makes many calls, some against quotas of five a second,
   * and may wait for a minute.
   */
  background: {
    connectionTimeout: 1500,
    requestTimeout: 5000,
    maxAttempts: 6,
    retryDelay: 200,
    initialRetries: 100,
    maxSavedRetries: 100,
  },
};
