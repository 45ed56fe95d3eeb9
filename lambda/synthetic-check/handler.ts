import { createDynamoDbClient } from '../../adapters/dynamodb/dynamodb-client.ts';
import { createFetchJwks } from '../../adapters/https/fetch-jwks.ts';
import { createPostTokenRequest } from '../../adapters/https/post-token-request.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createSyntheticCheckHandler } from './create-synthetic-check-handler.ts';

export const handler = createSyntheticCheckHandler(
  readEnvironment('synthetic-check', process.env),
  { dynamodb: createDynamoDbClient({ profile: 'background' }) },
  { postTokenRequest: createPostTokenRequest(), fetchJwks: createFetchJwks() },
);
