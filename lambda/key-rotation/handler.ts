import { createAwsClients } from '../../adapters/aws-clients.ts';
import {
  createProveKey,
  createPublishKey,
  createSelfTest,
} from '../../adapters/lambda/function-calls.ts';
import { createInvokeFunction } from '../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../adapters/lambda/lambda-client.ts';
import { createAuthenticateCaller } from '../../adapters/sts/authenticate-caller.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createKeyRotationHandler } from './function.ts';

const environment = readEnvironment('key-rotation', process.env);
const invoke = createInvokeFunction(createLambdaClient({ profile: 'background' }));

export const handler = createKeyRotationHandler(
  environment,
  createAwsClients({ profile: 'background' }),
  {
    authenticateCaller: createAuthenticateCaller(process.env),
    selfTest: createSelfTest(invoke, environment.AUTH_TOKEN_FUNCTION),
    proveKey: createProveKey(invoke, environment.AUTH_CANARY_FUNCTION),
    publishKey: createPublishKey(invoke, environment.AUTH_CANARY_FUNCTION),
  },
);
