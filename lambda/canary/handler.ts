import { openBackgroundClients } from '../../adapters/background-clients.ts';
import { createFetchServiceDocument } from '../../adapters/https/service-requests.ts';
import { readSettings } from '../../contract/read-settings.ts';
import { createCanaryHandler } from './function.ts';

export const handler = createCanaryHandler(
  readSettings('canary', process.env),
  openBackgroundClients(process.env),
  { fetchDocument: createFetchServiceDocument() },
);
