import type { KMSClient } from '@aws-sdk/client-kms';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import { toVariables } from '../../adapters/aws-json-clients.ts';
import type { OpenDynamoDb } from '../../adapters/dynamodb/clients/dynamodb-calls.ts';
import { createDynamoDbClient } from '../../adapters/dynamodb/clients/dynamodb-client.ts';
import {
  type JsonTables,
  openJsonDynamoDb,
} from '../../adapters/dynamodb/clients/json-documents.ts';
import { createKmsClient } from '../../adapters/kms/kms-client.ts';

/** What functions reach AWS with, and a client of the SDK to prepare and read tables. */
export interface AwsClients {
  readonly dynamodb: DynamoDBDocument;
  readonly openDynamoDb: OpenDynamoDb<JsonTables>;
  readonly kms: KMSClient;
}

export function createAwsClients(options: AwsClientOptions = {}): AwsClients {
  const profile = typeof options.profile === 'string' ? options.profile : 'request';
  return {
    dynamodb: createDynamoDbClient(options),
    openDynamoDb: openJsonDynamoDb(toVariables(options), profile),
    kms: createKmsClient(options),
  };
}
