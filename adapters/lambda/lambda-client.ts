import { LambdaClient } from '@aws-sdk/client-lambda';
import { type AwsClientOptions, clientConfiguration } from '../aws-client-options.ts';

/**
 * Milliseconds for which an invocation may last: a rotation asks the canary, which asks every
 * region. Nothing is sent twice, as the function may have done its work when the answer was lost.
 */
const requestTimeout = 120_000;

/** A client that invokes functions, with bounded time and without retries. */
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
