import { LambdaClient } from '@aws-sdk/client-lambda';
import { type AwsClientOptions, createSdkClient } from '../aws-client-options.ts';
import { invocationProfile } from './invocation-profile.ts';

/**
 * A client that invokes functions, with the time and retries of an invocation.
 *
 * @param requestTimeout milliseconds.
 */
export function createLambdaClient(
  aws: Omit<AwsClientOptions, 'profile'> = {},
  requestTimeout = invocationProfile.requestTimeout,
): LambdaClient {
  const profile = { ...invocationProfile, requestTimeout };
  return createSdkClient(
    (settings) => new LambdaClient(settings),
    { ...aws, profile },
    aws.endpointLambda,
  );
}
