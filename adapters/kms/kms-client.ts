import { KMSClient } from '@aws-sdk/client-kms';
import { type AwsClientOptions, clientConfiguration } from '../aws-client-options.ts';

/** A client with bounded time and retries. One a process: it keeps its connections. */
export function createKmsClient(options: AwsClientOptions = {}): KMSClient {
  const { endpointKms: endpoint } = options;
  return new KMSClient({
    ...clientConfiguration(options),
    ...(endpoint !== undefined && { endpoint }),
  });
}
