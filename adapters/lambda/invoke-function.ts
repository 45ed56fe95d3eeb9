import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { AwsClientOptions } from '../aws-client-options.ts';
import { callAws } from '../aws-errors.ts';
import { type InvokeFunction, type LambdaCaller, readInvocation } from './invocation.ts';
import { createLambdaClient } from './lambda-client.ts';

export function createInvokeFunction(lambda: LambdaClient): InvokeFunction {
  return async (functionName, event) => {
    const command = new InvokeCommand({
      FunctionName: functionName,
      Payload: Buffer.from(JSON.stringify(event)),
    });
    const output = await callAws('Lambda', `invoke ${functionName}`, () => lambda.send(command));
    const payload = Buffer.from(output.Payload ?? []).toString();
    return readInvocation({ functionName, failed: output.FunctionError !== undefined, payload });
  };
}

/** As the SDK finds credentials and region: profiles, single sign-on and other sources. */
export function createSdkCaller(aws: Omit<AwsClientOptions, 'profile'>): LambdaCaller {
  const lambda = createLambdaClient(aws);
  const { credentials, region } = lambda.config;
  return { invoke: createInvokeFunction(lambda), credentials, region };
}
