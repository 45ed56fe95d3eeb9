import { LambdaClient } from '@aws-sdk/client-lambda';
import {
  type AwsClientOptions,
  clientConfiguration,
  limitResponses,
} from '../aws-client-options.ts';
import type { CallProfile } from '../call-profile.ts';

/**
 * A client that invokes functions, with the time and retries of an invocation.
 *
 * @param requestTimeout milliseconds.
 */
export function createLambdaClient(
  given: Omit<AwsClientOptions, 'profile'> = {},
  requestTimeout = invocationProfile.requestTimeout,
): LambdaClient {
  const { endpointLambda: endpoint } = given;
  const profile = { ...invocationProfile, requestTimeout };
  const options: AwsClientOptions = { ...given, profile };
  const client = new LambdaClient({
    ...clientConfiguration(options),
    ...(endpoint !== undefined && { endpoint }),
  });
  return limitResponses(client, options);
}

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
