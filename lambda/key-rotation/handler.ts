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
import { readSettings } from '../../contract/read-settings.ts';
import { createKeyRotationHandler } from './function.ts';

const settings = readSettings('key-rotation', process.env);
const invoke = createInvokeFunction(createLambdaClient());

export const handler = createKeyRotationHandler(settings, openBackgroundClients(process.env), {
  sendAnswer,
  authenticateCaller: createAuthenticateCaller(process.env),
  selfTest: createSelfTestCall(invoke, settings.tokenFunction),
  checkKey: createCheckKey(invoke, settings.canaryFunction),
  publishKey: createPublishKey(invoke, settings.canaryFunction),
});
