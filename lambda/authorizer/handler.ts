import { createSignedDynamoDb } from '../../adapters/signed-clients.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createAuthorizerHandler } from './create-authorizer-handler.ts';

const dynamodb = createSignedDynamoDb(process.env);
dynamodb.open();

export const handler = createAuthorizerHandler(readEnvironment('authorizer', process.env), {
  dynamodb,
});
