import { openBackgroundClients } from '../../adapters/background-clients.ts';
import { sendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import {
  createCheckKey,
  createPublishKey,
  createSelfTestCall,
} from '../../adapters/lambda/function-calls.ts';
import { createInvokeFunction } from '../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../adapters/lambda/lambda-client.ts';
import { createAuthenticateCaller } from '../../adapters/sts/authenticate-caller.ts';
import { keyRotationVariables } from '../../contract/environments/key-rotation.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { createKeyRotationHandler } from './function.ts';

const environment = readVariables('key-rotation', keyRotationVariables, process.env);
const invoke = createInvokeFunction(createLambdaClient());

export const handler = createKeyRotationHandler(environment, openBackgroundClients(process.env), {
  sendAnswer,
  authenticateCaller: createAuthenticateCaller(process.env),
  selfTest: createSelfTestCall(invoke, environment.AUTH_TOKEN_FUNCTION),
  checkKey: createCheckKey(invoke, environment.AUTH_CANARY_FUNCTION),
  publishKey: createPublishKey(invoke, environment.AUTH_CANARY_FUNCTION),
});
