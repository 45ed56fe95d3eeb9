import { openJsonDynamoDb } from '../../adapters/dynamodb/clients/json-documents.ts';
import { createPutNotices } from '../../adapters/put-notices.ts';
import { noticesVariables } from '../../contract/environments/notices.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { callsAtOnce, createNoticesHandler } from './function.ts';

const environment = readVariables('notices', noticesVariables, process.env);

export const handler = createNoticesHandler(environment, {
  dynamodb: openJsonDynamoDb(process.env, 'background')(() => undefined).own,
  putNotices: createPutNotices(environment.AUTH_DEPLOYMENT_NAME, process.env, {
    maxSockets: callsAtOnce,
  }),
});
