import { KMSClient } from '@aws-sdk/client-kms';
import {
  type AwsClientOptions,
  clientConfiguration,
  limitResponses,
} from '../aws-client-options.ts';

/** A client with limited time and retries. Create one per process: it keeps its connections. */
export function createKmsClient(options: AwsClientOptions = {}): KMSClient {
  const { endpointKms: endpoint } = options;
  const client = new KMSClient({
    ...clientConfiguration(options),
    ...(endpoint !== undefined && { endpoint }),
  });
  return limitResponses(client, options);
}
