import { LambdaClient } from '@aws-sdk/client-lambda';
import {
  type AwsClientOptions,
  clientConfiguration,
  limitResponses,
} from '../aws-client-options.ts';
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
  const { endpointLambda: endpoint } = aws;
  const profile = { ...invocationProfile, requestTimeout };
  const options: AwsClientOptions = { ...aws, profile };
  const client = new LambdaClient({
    ...clientConfiguration(options),
    ...(endpoint !== undefined && { endpoint }),
  });
  return limitResponses(client, options);
}
