import { createLeanDynamoDb } from '../../adapters/lean-clients.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createJwksHandler } from './function.ts';

const dynamodb = createLeanDynamoDb(process.env);
dynamodb.open();

export const handler = createJwksHandler(readEnvironment('jwks', process.env), { dynamodb });
