import { openJsonDynamoDb } from '../../adapters/dynamodb/clients/json-documents.ts';
import {
  createFetchServiceDocument,
  createPostTokenRequest,
} from '../../adapters/https/service-requests.ts';
import { readSettings } from '../../contract/read-settings.ts';
import { createSyntheticCheckHandler } from './function.ts';

export const handler = createSyntheticCheckHandler(
  readSettings('synthetic-check', process.env),
  { dynamodb: openJsonDynamoDb(process.env, 'background')(() => undefined).own },
  { postTokenRequest: createPostTokenRequest(), fetchDocument: createFetchServiceDocument() },
);
