import { openBackgroundClients } from '../../adapters/background-clients.ts';
import { createFetchServiceDocument } from '../../adapters/https/service-requests.ts';
import { createSelfTestCall } from '../../adapters/lambda/function-calls.ts';
import { createInvokeFunction } from '../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../adapters/lambda/lambda-client.ts';
import { readSettings } from '../../contract/read-settings.ts';
import { createCanaryHandler } from './function.ts';

const settings = readSettings('canary', process.env);

export const handler = createCanaryHandler(settings, openBackgroundClients(process.env), {
  fetchDocument: createFetchServiceDocument(),
  selfTest: createSelfTestCall(createInvokeFunction(createLambdaClient()), settings.tokenFunction),
});
