import type { CallProfile } from './call-profile.ts';

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
        readonly requestId?: string | undefined;
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

/** The value that the SDK passes from one attempt to the next. The delay is in milliseconds. */
interface RetryToken {
  getRetryCount(): number;
  getRetryDelay(): number;
}

/** Errors for which a retry may succeed; the SDK classifies them. */
const retryable: ReadonlySet<string> = new Set(['THROTTLING', 'TRANSIENT']);

/**
 * The part of a retry that each success earns. When one call in ten fails, it can always be
 * retried, and there are at most 1.2 times as many calls as requests.
 */
const earnedBySuccess = 0.2;

function createToken(count: number, delay: number): RetryToken {
  return { getRetryCount: () => count, getRetryDelay: () => delay };
}

/**
 * The SDK's standard retry with a smaller token bucket. The SDK's own starts with 500 tokens, a
 * hundred retries in each of many short-lived functions, which doubles the load on a service that
 * throttles. Here, a client starts with few tokens, and only successes earn more.
 */
export class RetryBudget {
  readonly mode = 'standard';
  readonly #profile: CallProfile;
  #retries: number;

  constructor(profile: CallProfile) {
    this.#profile = profile;
    this.#retries = profile.initialRetries;
  }

  acquireInitialRetryToken(): Promise<RetryToken> {
    return Promise.resolve(createToken(0, 0));
  }

  /** @throws {Error} if no retry is due: the SDK then throws the call's own error. */
  refreshRetryTokenForRetry(
    token: RetryToken,
    errorInfo: { readonly errorType: string },
  ): Promise<RetryToken> {
    const count = token.getRetryCount() + 1;
    const due = retryable.has(errorInfo.errorType) && count < this.#profile.maxAttempts;
    if (!due || this.#retries < 1) return Promise.reject(new Error('no retry is due'));
    this.#retries -= 1;
    // Full jitter: the whole delay is random, so that callers who failed together spread out.
    const delay = Math.random() * this.#profile.retryDelay * 2 ** (count - 1);
    return Promise.resolve(createToken(count, delay));
  }

  recordSuccess(): void {
    this.#retries = Math.min(this.#profile.maxSavedRetries, this.#retries + earnedBySuccess);
  }
}
