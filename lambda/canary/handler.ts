import { createAwsClients } from '../../adapters/aws-clients.ts';
import { createFetchServiceDocument } from '../../adapters/https/fetch-service-document.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createCanaryHandler } from './function.ts';

export const handler = createCanaryHandler(
  readEnvironment('canary', process.env),
  createAwsClients({ profile: 'background' }),
  { fetchDocument: createFetchServiceDocument() },
);
