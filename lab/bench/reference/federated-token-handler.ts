import { createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { readEnvironment } from '../../../contract/environment.ts';
import { createFederation } from '../../../lambda/token/federated.ts';
import { createTokenHandler } from '../../../lambda/token/function.ts';

// The token function as it is deployed, except that keys of providers may come from loopback.

const aws = createAwsJsonClients(process.env);
aws.kms.open();
aws.dynamodb.open();

export const handler = createTokenHandler(readEnvironment('token', process.env), aws, {
  loadFederation: () =>
    Promise.resolve({
      createFederation: (source) => createFederation({ ...source, guard: { allowLoopback: true } }),
    }),
});
