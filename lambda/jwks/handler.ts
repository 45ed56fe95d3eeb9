import { createJsonDynamoDb } from '../../adapters/aws-json-clients.ts';
import { jwksVariables } from '../../contract/environments/jwks.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { createJwksHandler } from './function.ts';

const dynamodb = createJsonDynamoDb(process.env);
dynamodb.open();

export const handler = createJwksHandler(readVariables('jwks', jwksVariables, process.env), {
  dynamodb,
});
