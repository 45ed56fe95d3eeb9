import type { KMSClient } from '@aws-sdk/client-kms';
import type { Environment } from './aws-json/endpoint.ts';
import type { OpenDynamoDb } from './dynamodb/clients/dynamodb-calls.ts';
import { openJsonDynamoDb } from './dynamodb/clients/json-documents.ts';
import { createKmsClient } from './kms/kms-client.ts';

/** The clients of functions that manage signing keys. Opaque outside this folder. */
export interface BackgroundClients {
  readonly kms: KMSClient;
  readonly openDynamoDb: OpenDynamoDb;
}

/** @param environment the process's variables, by AWS's own names. */
export function openBackgroundClients(environment: Environment): BackgroundClients {
  return {
    kms: createKmsClient({ profile: 'background' }),
    openDynamoDb: openJsonDynamoDb(environment, 'background'),
  };
}
