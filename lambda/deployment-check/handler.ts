import { sendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import { openJsonDynamoDb } from '../../adapters/dynamodb/clients/json-documents.ts';
import {
  createReadConcurrency,
  createReadVariables,
} from '../../adapters/lambda/function-calls.ts';
import { createLambdaClient } from '../../adapters/lambda/lambda-client.ts';
import { createReadQuota } from '../../adapters/service-quotas.ts';
import { readSettings } from '../../contract/read-settings.ts';
import { createDeploymentCheckHandler } from './function.ts';

/** Milliseconds for the configuration of a function. The check asks again. */
const readTimeout = 10_000;

const lambda = createLambdaClient({}, readTimeout);

export const handler = createDeploymentCheckHandler(
  readSettings('deployment-check', process.env),
  openJsonDynamoDb(process.env, 'background')(() => undefined).own,
  {
    sendAnswer,
    readVariables: createReadVariables(lambda),
    readConcurrency: createReadConcurrency(lambda),
    readQuota: createReadQuota(process.env),
  },
);
