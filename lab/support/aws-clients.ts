import type { KMSClient } from '@aws-sdk/client-kms';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import type { Environment } from '../../adapters/aws-json/endpoint.ts';
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

/** Converts options of the SDK's clients to the variables that the AWS JSON clients read. */
export function toVariables(options: AwsClientOptions): Environment {
  const { credentials } = options;
  return {
    AWS_REGION: options.region,
    AWS_ENDPOINT_URL_DYNAMODB: options.endpointDynamoDb,
    AWS_ENDPOINT_URL_KMS: options.endpointKms,
    AWS_ENDPOINT_URL_STS: options.endpointSts,
    AWS_ACCESS_KEY_ID: credentials?.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey,
    AWS_SESSION_TOKEN: credentials?.sessionToken,
  };
}
