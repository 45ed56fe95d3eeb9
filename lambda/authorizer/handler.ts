import { createJsonDynamoDb, createOptionalDynamoDb } from '../../adapters/aws-json-clients.ts';
import { readSettings } from '../../contract/read-settings.ts';
import { createAuthorizerHandler } from './function.ts';

const environment = readSettings('authorizer', process.env);
const dynamodb = createJsonDynamoDb(process.env, environment.apiKeysTable);
dynamodb.open();

export const handler = createAuthorizerHandler(
  environment,
  { dynamodb, createOptionalDynamoDb: () => createOptionalDynamoDb(process.env) },
  { allowLoopback: process.env['AUTH_ALLOW_LOOPBACK_PROVIDERS'] === '1' },
);
