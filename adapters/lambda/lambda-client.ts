import { LambdaClient } from '@aws-sdk/client-lambda';
import { type AwsClientOptions, clientConfiguration } from '../aws-client-options.ts';

/**
 * Maximum milliseconds of an invocation: a rotation invokes the canary, which calls every region.
 * An invocation is never repeated, because the function may have done its work when the response
 * was lost.
 */
const requestTimeout = 120_000;

/** A client that invokes functions, with limited time and without retries. */
export function createLambdaClient(options: AwsClientOptions = {}): LambdaClient {
  const { requestHandler, retryStrategy: _, ...configuration } = clientConfiguration(options);
  const { endpointLambda: endpoint } = options;
  return new LambdaClient({
    ...configuration,
    ...(endpoint !== undefined && { endpoint }),
    maxAttempts: 1,
    requestHandler: { ...requestHandler, requestTimeout, socketTimeout: requestTimeout },
  });
}
