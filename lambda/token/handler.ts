import { createAwsClients } from '../../adapters/aws-clients.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createTokenHandler } from './create-token-handler.ts';

export const handler = createTokenHandler(
  readEnvironment('token', process.env),
  createAwsClients(),
);
