import { createAskManagement } from '../../../adapters/lambda/ask-management.ts';
import { createFunctionCaller } from '../../../adapters/lambda/invoke-from-function.ts';
import { createInvokeFunction } from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { createAuthenticateCaller } from '../../../adapters/sts/authenticate-caller.ts';
import { functionName } from '../../../contract/function-names.ts';
import type { ManagementAnswer } from '../../../contract/management/request.ts';
import type { ManagementAlias } from '../../../contract/management/roles.ts';
import type { PortalReach } from '../../../contract/reach.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import { createAccessKey } from '../../../lab/emulator/aws-server/access-key.ts';
import type { RunningService } from '../../../lab/emulator/aws-server/aws-server.ts';
import { localApi } from '../../../lab/emulator/gateway/request-context.ts';
import { Authorizer } from '../../../lab/emulator/iam/authorizer.ts';
import type { NamedPolicy } from '../../../lab/emulator/iam/evaluate-request.ts';
import { PermissionGate } from '../../../lab/emulator/iam/permission-gate.ts';
import { functionPrincipal } from '../../../lab/emulator/iam/principals.ts';
import { type EventHandler, startLambda } from '../../../lab/emulator/lambda-server.ts';
import { startSts } from '../../../lab/emulator/sts-server.ts';
import {
  readStackPolicies,
  type SynthesisedRole,
} from '../../../lab/local/from-synth/stack-policies.ts';
import { hangLimit } from '../../../lab/support/hang-limit.ts';
import { portalConfig } from '../../../lab/support/portal-config.ts';
import { createManagementHandler } from '../../../lambda/management/function.ts';
import { readConfigFile, resourcesOf, synthesise } from '../../lib/synthesise.ts';
import { configWithKeys } from '../../support/management.ts';

export const account = localApi.accountId;
export const awsRegion = 'us-west-2';

const config = readConfigFile('single-region');
export const deployment = config.name ?? 'authorization-server';

export const lambdaArn = (name: Parameters<typeof functionName>[1]) =>
  `arn:aws:lambda:${awsRegion}:${account}:function:${functionName(deployment, name)}`;

export const managementArn = lambdaArn('management');

export const clientSecretArn = `arn:aws:secretsmanager:${awsRegion}:${account}:secret:portal-login-AbCdEf`;

/** The role that the template gives the portal function. */
function readPortalRole(): SynthesisedRole {
  const login = { ...portalConfig.login, clientSecretArn };
  const { templates } = synthesise({ ...config, portal: { ...portalConfig, login } });
  const name = 'AuthorizationServer-portal';
  const template = templates[name];
  if (template === undefined) throw new Error('there is no stack of the portal');
  const resources = new Map(Object.entries(resourcesOf(template)));
  const { roles } = readStackPolicies({ name, awsRegion, resources, assets: new Map() });
  const role = roles.get(functionName(deployment, 'portal'));
  if (role === undefined) throw new Error('the portal function has no role');
  return role;
}

/** One request of the text to an alias. */
type AskAlias = (alias: ManagementAlias, request: object | string) => Promise<ManagementAnswer>;

/**
 * Lambda and STS on loopback, which know one access key: that of the portal function. IAM decides
 * each call with the policies of the function's role.
 */
export class PortalRole {
  readonly role: SynthesisedRole = readPortalRole();
  /** Policies that are put on the role while it is in use. */
  readonly added: NamedPolicy[] = [];
  /** What the management function works on. */
  context: Omit<ManagementContext, 'actor'> | undefined;
  reach: PortalReach | undefined;
  readonly #authorizer = new Authorizer({ account });
  readonly #key = createAccessKey();
  readonly #services: RunningService[] = [];
  #ask: ReturnType<typeof createAskManagement> | undefined;
  #lambda: ReturnType<typeof createLambdaClient> | undefined;

  /** ARN of the secret that the template creates, as the policy of the role names it. */
  get sessionKeyArn(): string {
    const text = JSON.stringify(this.role.policies);
    return /arn:aws:secretsmanager:[\w:-]*SessionKey[\w-]*/.exec(text)?.[0] ?? 'none';
  }

  #principal() {
    const policies = [...this.role.policies, ...this.added];
    return functionPrincipal({ ...this.role, policies }, lambdaArn('portal'));
  }

  /** Whether IAM allows the role something. */
  async allows(action: string, resource: string): Promise<boolean> {
    return this.#authorizer.allows(this.#principal(), { action, resource, context: {} });
  }

  async start(): Promise<void> {
    const principal = () => this.#principal();
    const gate = new PermissionGate(
      this.#authorizer,
      (id) => (id === this.#key.accessKeyId ? { accessKey: this.#key, principal } : undefined),
      { account, partitionKey: () => undefined },
    );
    const accessControl = Object.assign(gate, { principalArn: () => principal().arn });
    const options = { accessKey: createAccessKey(), accessControl };
    const sts = await startSts(options);
    const environment = { AWS_REGION: awsRegion, AWS_ENDPOINT_URL_STS: sts.endpoint };
    const handler = createManagementHandler({
      createContext: () => this.#contextOf(),
      authenticateCaller: createAuthenticateCaller(environment),
      telemetry: { report: () => undefined },
    });
    const functions = new Map<string, EventHandler>([
      [
        functionName(deployment, 'management'),
        (event, { functionArn }) => handler(event, { invokedFunctionArn: functionArn }),
      ],
      [functionName(deployment, 'token'), async () => 'invoked'],
    ]);
    const lambda = await startLambda({ ...options, functions });
    this.#services.push(sts, lambda);
    const aws = { region: awsRegion, credentials: this.#key, endpointLambda: lambda.endpoint };
    const variables = {
      ...environment,
      AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
      AWS_ACCESS_KEY_ID: this.#key.accessKeyId,
      AWS_SECRET_ACCESS_KEY: this.#key.secretAccessKey,
    };
    this.#ask = createAskManagement({
      functionArn: managementArn,
      caller: createFunctionCaller(variables, hangLimit),
      environment,
    });
    this.#lambda = createLambdaClient(aws);
  }

  #contextOf(): Omit<ManagementContext, 'actor'> {
    if (this.context === undefined) throw new Error('there is no context');
    const management = { reach: [], portalReach: this.reach };
    return { ...this.context, config: { ...configWithKeys, management } };
  }

  readonly ask: AskAlias = async (alias, request) => {
    const text = typeof request === 'string' ? request : JSON.stringify(request);
    return (await this.#ask?.(alias, text)) as ManagementAnswer;
  };

  /** Invokes any function with any event. */
  async invoke(functionArn: string, event: object): Promise<unknown> {
    if (this.#lambda === undefined) throw new Error('nothing was started');
    return createInvokeFunction(this.#lambda)(functionArn, event);
  }

  async close(): Promise<void> {
    this.#lambda?.destroy();
    for (const service of this.#services) await service.close();
  }
}
