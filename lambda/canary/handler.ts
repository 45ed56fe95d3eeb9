import { createAwsClients } from '../../adapters/aws-clients.ts';
import { createFetchJwks } from '../../adapters/https/fetch-jwks.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createCanaryHandler } from './create-canary-handler.ts';

export const handler = createCanaryHandler(
  readEnvironment('canary', process.env),
  createAwsClients({ profile: 'background' }),
  createFetchJwks(),
);
