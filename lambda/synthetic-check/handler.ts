import { createDynamoDbClient } from '../../adapters/dynamodb/dynamodb-client.ts';
import { createFetchServiceDocument } from '../../adapters/https/fetch-service-document.ts';
import { createPostTokenRequest } from '../../adapters/https/post-token-request.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createSyntheticCheckHandler } from './function.ts';

export const handler = createSyntheticCheckHandler(
  readEnvironment('synthetic-check', process.env),
  { dynamodb: createDynamoDbClient({ profile: 'background' }) },
  { postTokenRequest: createPostTokenRequest(), fetchJwks: createFetchServiceDocument() },
);
