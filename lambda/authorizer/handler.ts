import { createLeanDynamoDb } from '../../adapters/lean-clients.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createAuthorizerHandler } from './function.ts';

const dynamodb = createLeanDynamoDb(process.env);
dynamodb.open();

export const handler = createAuthorizerHandler(readEnvironment('authorizer', process.env), {
  dynamodb,
});
