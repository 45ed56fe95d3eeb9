import { LambdaClient } from '@aws-sdk/client-lambda';
import { type AwsClientOptions, clientConfiguration } from '../aws-client-options.ts';

/** A client that invokes functions, with bounded time and retries. */
export function createLambdaClient(options: AwsClientOptions = {}): LambdaClient {
  return new LambdaClient(clientConfiguration(options));
}
