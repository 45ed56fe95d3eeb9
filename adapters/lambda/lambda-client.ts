import { LambdaClient } from '@aws-sdk/client-lambda';
import {
  type AwsClientOptions,
  clientConfiguration,
  limitResponses,
} from '../aws-client-options.ts';
import { invocationProfile } from './invocation-profile.ts';

/** A client that invokes functions, with the time and retries of an invocation. */
export function createLambdaClient(given: Omit<AwsClientOptions, 'profile'> = {}): LambdaClient {
  const { endpointLambda: endpoint } = given;
  const options: AwsClientOptions = { ...given, profile: invocationProfile };
  const client = new LambdaClient({
    ...clientConfiguration(options),
    ...(endpoint !== undefined && { endpoint }),
  });
  return limitResponses(client, options);
}
