import { createLeanDynamoDb } from '../../adapters/lean-clients.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createAuthorizerHandler } from './function.ts';

const environment = readEnvironment('authorizer', process.env);
const dynamodb = createLeanDynamoDb(process.env, environment.AUTH_API_KEYS_TABLE);
dynamodb.open();

export const handler = createAuthorizerHandler(environment, { dynamodb });
