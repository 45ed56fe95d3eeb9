import { createJsonDynamoDb } from '../../adapters/aws-json-clients.ts';
import { readSettings } from '../../contract/read-settings.ts';
import { createJwksHandler } from './function.ts';

const dynamodb = createJsonDynamoDb(process.env);
dynamodb.open();

export const handler = createJwksHandler(readSettings('jwks', process.env), { dynamodb });
