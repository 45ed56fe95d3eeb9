import type { FunctionName } from '../../../contract/environment.ts';
import { functionName } from '../../../contract/function-names.ts';
import { localApi } from '../../emulator/gateway/request-context.ts';
import type { Access } from './access.ts';
import type { SynthesisedDeployment } from './synthesised-deployment.ts';

/** The invokers of functions in AWS. Each throws if the templates do not allow the invocation. */
export interface Callers {
  fromApi(path: string, method: string): Promise<void>;
  fromSchedule(name: FunctionName): Promise<void>;
}

export function createCallers(deployment: SynthesisedDeployment, access: Access): Callers {
  const { config, contents } = deployment;
  const { awsRegion, integrations, policies } = contents;
  const arnOf = (name: string) =>
    `arn:aws:lambda:${awsRegion}:${localApi.accountId}:function:${functionName(config.name, name as FunctionName)}`;
  const api = `arn:aws:execute-api:${awsRegion}:${localApi.accountId}:${localApi.apiId}/${localApi.stage}`;
  return {
    fromApi: (path, method) =>
      access.authorizeInvocation({
        by: 'apigateway.amazonaws.com',
        source: `${api}/${method}${path}`,
        functionArn: integrations.get(path) ?? '',
      }),
    fromSchedule: (name) =>
      access.authorizeInvocation({
        by: 'events.amazonaws.com',
        source: policies.rules.get(arnOf(name)) ?? '',
        functionArn: arnOf(name),
      }),
  };
}
