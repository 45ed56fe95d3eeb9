import { KMSClient } from '@aws-sdk/client-kms';
import { type AwsClientOptions, createSdkClient } from '../aws-client-options.ts';

/** A client with bounded time and retries. Create one per process: it keeps its connections. */
export function createKmsClient(options: AwsClientOptions = {}): KMSClient {
  return createSdkClient((settings) => new KMSClient(settings), options, options.endpointKms);
}
