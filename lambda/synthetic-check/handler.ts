import { createDynamoDbClient } from '../../adapters/dynamodb/dynamodb-client.ts';
import {
  createFetchServiceDocument,
  createPostTokenRequest,
} from '../../adapters/https/service-requests.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { syntheticCheckVariables } from '../../contract/environments/synthetic-check.ts';
import { createSyntheticCheckHandler } from './function.ts';

export const handler = createSyntheticCheckHandler(
  readVariables('synthetic-check', syntheticCheckVariables, process.env),
  { dynamodb: createDynamoDbClient({ profile: 'background' }) },
  { postTokenRequest: createPostTokenRequest(), fetchDocument: createFetchServiceDocument() },
);
