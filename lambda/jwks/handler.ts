import { createLeanDynamoDb } from '../../adapters/lean-clients.ts';
import { jwksVariables } from '../../contract/environments/jwks.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { createJwksHandler } from './function.ts';

const dynamodb = createLeanDynamoDb(process.env);
dynamodb.open();

export const handler = createJwksHandler(readVariables('jwks', jwksVariables, process.env), {
  dynamodb,
});
