import type { CallProfile } from '../call-profile.ts';

/**
 * A rotation invokes the canary, which calls every region. An invocation is never repeated, because
 * the function may have done its work when the response was lost.
 */
export const invocationProfile: CallProfile = {
  connectionTimeout: 1500,
  requestTimeout: 120_000,
  maxAttempts: 1,
  retryDelay: 0,
  initialRetries: 0,
  maxSavedRetries: 0,
};
