import { openJsonDynamoDb } from '../../adapters/dynamodb/clients/json-documents.ts';
import { createPutNotices } from '../../adapters/put-notices.ts';
import { readSettings } from '../../contract/read-settings.ts';
import { callsAtOnce, createNoticesHandler } from './function.ts';

const settings = readSettings('notices', process.env);

export const handler = createNoticesHandler(settings, {
  dynamodb: openJsonDynamoDb(process.env, 'background')(() => undefined).own,
  putNotices: createPutNotices(settings.deploymentName, process.env, { maxSockets: callsAtOnce }),
});
