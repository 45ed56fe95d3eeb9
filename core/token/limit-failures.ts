import { OAuthError } from '../oauth-error.ts';
import type { Authenticate } from './client-authentication.ts';
import type { FailureLimiter } from './failure-limiter.ts';

/**
 * Wraps authentication: refuses a client that failed too often, and counts failures. When the store
 * does not answer, no failure is counted.
 *
 * @throws {TooManyFailuresError}
 */
export function limitFailures(limiter: FailureLimiter, authenticate: Authenticate): Authenticate {
  return async (credentials, values) => {
    const attempt = { ...credentials, source: values.source };
    limiter.assertAllowed(attempt, values.now);
    try {
      return await authenticate(credentials, values);
    } catch (error) {
      if (error instanceof OAuthError) limiter.record(attempt, values.now);
      throw error;
    }
  };
}
