import { createJsonDynamoDb, createOptionalDynamoDb } from '../../adapters/aws-json-clients.ts';
import { authorizerVariables } from '../../contract/environments/authorizer.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { createAuthorizerHandler } from './function.ts';

const environment = readVariables('authorizer', authorizerVariables, process.env);
const dynamodb = createJsonDynamoDb(process.env, environment.AUTH_API_KEYS_TABLE);
dynamodb.open();

export const handler = createAuthorizerHandler(environment, {
  dynamodb,
  createOptionalDynamoDb: () => createOptionalDynamoDb(process.env),
});
