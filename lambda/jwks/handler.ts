import { createDynamoDbClient } from '../../adapters/dynamodb/dynamodb-client.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createJwksHandler } from './create-jwks-handler.ts';

export const handler = createJwksHandler(readEnvironment('jwks', process.env), {
  dynamodb: createDynamoDbClient(),
});
