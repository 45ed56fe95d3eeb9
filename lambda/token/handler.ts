import { createAwsJsonClients } from '../../adapters/aws-json-clients.ts';
import { readSettings } from '../../contract/read-settings.ts';
import { createTokenHandler } from './function.ts';

const aws = createAwsJsonClients(process.env);
// A TLS handshake takes longer than the rest of a token request. Both handshakes run during INIT.
aws.kms.open();
aws.dynamodb.open();

const environment = readSettings('token', process.env);

// They stand next to this one in the deployed folder: `lambdaFiles` of lab/build/main.ts.
const loadFederation = () => import('./federated.js');
const loadProofs = () => import('./proofs.js');

export const handler = createTokenHandler(environment, aws, { loadFederation, loadProofs });
