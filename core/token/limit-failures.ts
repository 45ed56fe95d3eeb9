import { OAuthError } from '../oauth-error.ts';
import type { Attempt, FailureLimiter } from './failure-limiter.ts';

/**
 * Authenticates a client, unless it failed too often before, and counts a failure. A store that
 * does not answer is no failure of the client.
 *
 * @throws {TooManyFailuresError}
 */
export async function limitFailures<T>(
  limiter: FailureLimiter,
  attempt: Attempt,
  now: number,
  authenticate: () => Promise<T>,
): Promise<T> {
  limiter.assertAllowed(attempt, now);
  try {
    return await authenticate();
  } catch (error) {
    if (error instanceof OAuthError) limiter.record(attempt, now);
    throw error;
  }
}
