import type { KMSClient } from '@aws-sdk/client-kms';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import type { AwsClientOptions } from './aws-client-options.ts';
import { createDynamoDbClient } from './dynamodb/dynamodb-client.ts';
import { createKmsClient } from './kms/kms-client.ts';

/** The clients that handlers are built with. Opaque outside this folder. */
export interface AwsClients {
  readonly dynamodb: DynamoDBDocument;
  readonly kms: KMSClient;
}

/**
 * Both clients. A function that needs only one of them imports the file of that one, so its bundle
 * does not contain the other.
 */
export function createAwsClients(options: AwsClientOptions = {}): AwsClients {
  return { dynamodb: createDynamoDbClient(options), kms: createKmsClient(options) };
}
