import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { functionName } from '../../contract/function-names.ts';
import { managementDigest } from '../../core/audit/request-digest.ts';
import type { Environment } from '../aws-json/endpoint.ts';
import type { AskFunction } from '../management-function.ts';
import { createAuthenticateCaller } from '../sts/authenticate-caller.ts';
import { createCallerProof } from '../sts/caller-proof.ts';
import type { LambdaCaller } from './invocation.ts';

/** Which function is asked: by its ARN, or that of a deployment in the caller's AWS region. */
type Place =
  | { readonly functionArn: string }
  | {
      readonly config: Pick<DeploymentConfig, 'name'>;
      /** AWS account of the deployment; the caller's own if left out. */
      readonly account?: string | undefined;
    };

type AskManagementOptions = Place & {
  readonly caller: LambdaCaller;
  /** May name endpoints, by AWS's variables. */
  readonly environment: Environment;
  /** Variables that name the way to AWS, if it is not direct. */
  readonly proxy?: Environment | undefined;
};

/** `arn:aws:sts::111122223333:assumed-role/…` → `aws` and `111122223333`. */
function readArn(arn: string): { readonly partition: string; readonly account: string } {
  const [, partition = '', , , account = ''] = arn.split(':');
  return { partition, account };
}

/**
 * Asks the management function of the caller's AWS region. Each request is signed twice: for
 * Lambda, and as a proof of the caller for the function.
 */
export function createAskManagement(options: AskManagementOptions): AskFunction {
  const { caller, environment } = options;
  const prove = createCallerProof(caller.credentials, environment);
  let found: Promise<string> | undefined;
  const getFunctionArn = async (): Promise<string> => {
    if ('functionArn' in options) return options.functionArn;
    const region = await caller.region();
    const identify = createAuthenticateCaller(
      { ...environment, AWS_REGION: region },
      options.proxy,
    );
    const own = readArn(await identify(await prove(region, 'identity'), 'identity'));
    const account = options.account ?? own.account;
    const name = functionName(options.config.name, 'management');
    return `arn:${own.partition}:lambda:${region}:${account}:function:${name}`;
  };
  return async (alias, request) => {
    found ??= getFunctionArn().catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    const aliasArn = `${await found}:${alias}`;
    const region = await caller.region();
    const caller_proof = await prove(region, managementDigest(aliasArn, request));
    return caller.invoke(aliasArn, { request, caller_proof });
  };
}
