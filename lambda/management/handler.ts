import { sendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import { openJsonDynamoDb } from '../../adapters/dynamodb/clients/json-documents.ts';
import { openManagementTables } from '../../adapters/management-tables.ts';
import { readManagementConfig } from '../../adapters/read-config.ts';
import { createAuthenticateCaller } from '../../adapters/sts/authenticate-caller.ts';
import { createAliasHandler } from './function.ts';

const config = readManagementConfig(process.env);

export const handler = createAliasHandler({
  createContext: openManagementTables({
    config,
    open: openJsonDynamoDb(process.env, 'request'),
    allowLoopbackProviders: process.env['AUTH_ALLOW_LOOPBACK_PROVIDERS'] === '1',
  }),
  authenticateCaller: createAuthenticateCaller(process.env),
  sendAnswer,
  // An emulator has all services of AWS at one endpoint.
  allowLoopback: process.env['AWS_ENDPOINT_URL'] !== undefined,
});
