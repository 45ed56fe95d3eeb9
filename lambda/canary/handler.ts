import { openBackgroundClients } from '../../adapters/background-clients.ts';
import { createFetchServiceDocument } from '../../adapters/https/service-requests.ts';
import { canaryVariables } from '../../contract/environments/canary.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { createCanaryHandler } from './function.ts';

export const handler = createCanaryHandler(
  readVariables('canary', canaryVariables, process.env),
  openBackgroundClients(process.env),
  { fetchDocument: createFetchServiceDocument() },
);
