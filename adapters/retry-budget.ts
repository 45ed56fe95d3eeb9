import type { CallProfile } from './call-profile.ts';

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
