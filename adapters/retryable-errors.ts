/**
 * Errors for which a retry may succeed, according to the SDK's own lists (a test compares them with
 * `@smithy/core/retry`). The package itself would be an eighth of the token function's bundle.
 */

/** Properties of errors of the SDK, of aws-json/ and of node:net. */
export interface CallError {
  readonly name?: string | undefined;
  readonly message?: string | undefined;
  /** Of node:net. */
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly $retryable?: { readonly throttling?: boolean | undefined } | undefined;
  readonly $metadata?:
    | {
        readonly httpStatusCode?: number | undefined;
        readonly clockSkewCorrected?: boolean | undefined;
      }
    | undefined;
}

const throttlingNames: ReadonlySet<unknown> = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

const timeoutNames: ReadonlySet<unknown> = new Set([
  'TimeoutError',
  'RequestTimeout',
  'RequestTimeoutException',
]);

const networkCodes: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

const transientStatuses: ReadonlySet<unknown> = new Set([500, 502, 503, 504]);

/** Deeper causes than this are a loop. */
const maxDepth = 10;

export function isThrottlingError(error: CallError): boolean {
  return (
    error.$metadata?.httpStatusCode === 429 ||
    throttlingNames.has(error.name) ||
    error.$retryable?.throttling === true
  );
}

/** Of a clock that is slow, and of one that is fast. The SDK's own list has only the first. */
const wrongTime = /Signature (?:expired|not yet current)/;

/**
 * The service's clock and this host's differ by minutes, or the request took minutes to arrive. It
 * is signed again with the service's time.
 */
export function isClockError({ name, message = '', $metadata }: CallError): boolean {
  return (
    $metadata?.clockSkewCorrected === true ||
    (name === 'InvalidSignatureException' && wrongTime.test(message))
  );
}

/** `AbortError` is the caller's own deadline. It is never retried. */
export function isTransientError(error: CallError, depth = 0): boolean {
  if (error.name === 'AbortError') return false;
  const { cause } = error;
  return (
    error.$retryable !== undefined ||
    isClockError(error) ||
    timeoutNames.has(error.name) ||
    networkCodes.has(error.code) ||
    transientStatuses.has(error.$metadata?.httpStatusCode) ||
    (cause !== undefined && depth <= maxDepth && isTransientError(cause as CallError, depth + 1))
  );
}

export function isServerError(error: CallError): boolean {
  const status = error.$metadata?.httpStatusCode ?? 0;
  return status >= 500 && status <= 599 && !isTransientError(error);
}
