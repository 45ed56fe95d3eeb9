import { openJsonDynamoDb } from '../../adapters/dynamodb/clients/json-documents.ts';
import {
  createFetchServiceDocument,
  createPostTokenRequest,
} from '../../adapters/https/service-requests.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { syntheticCheckVariables } from '../../contract/environments/synthetic-check.ts';
import { createSyntheticCheckHandler } from './function.ts';

export const handler = createSyntheticCheckHandler(
  readVariables('synthetic-check', syntheticCheckVariables, process.env),
  { dynamodb: openJsonDynamoDb(process.env, 'background')(() => undefined).own },
  { postTokenRequest: createPostTokenRequest(), fetchDocument: createFetchServiceDocument() },
);
