import { type FunctionName, functionName } from '../../../contract/function-names.ts';
import { restoredTableName, tableKeys, tables } from '../../../contract/tables.ts';
import { type AccessKey, createAccessKey } from '../../emulator/aws-server/access-key.ts';
import { localApi } from '../../emulator/gateway/request-context.ts';
import { Authorizer, type DecidedRequest, type Principal } from '../../emulator/iam/authorizer.ts';
import type { NamedPolicy } from '../../emulator/iam/evaluate-request.ts';
import { type KeyHolder, PermissionGate } from '../../emulator/iam/permission-gate.ts';
import {
  administratorAccess,
  functionPrincipal,
  type Role,
  sessionPrincipal,
  userPrincipal,
} from '../../emulator/iam/principals.ts';
import type { Propagation } from '../../emulator/iam/propagation.ts';
import { localUserArn } from '../../emulator/sts-server.ts';
import type { StackContents } from './stack-contents.ts';
import type { SynthesisedDeployment } from './synthesised-deployment.ts';

/** An invocation by an AWS service, or with a role. */
interface Invocation {
  /** A service's name or, for a role of the templates, its function. */
  readonly by: string;
  /** ARN of the source of the call: an API's method, or a rule. */
  readonly source?: string | undefined;
  readonly functionArn: string;
}

export interface AccessOptions {
  /** The access key of the user who started the run, an administrator. */
  readonly accessKey: AccessKey;
  readonly onDecision?: ((request: DecidedRequest) => void) | undefined;
  /** When policies and tags begin to count. By default, at once. */
  readonly propagation?: Propagation | undefined;
}

const { accountId } = localApi;

function partitionKeys({ config, contents }: SynthesisedDeployment): ReadonlyMap<string, string> {
  return new Map([
    ...tableKeys.map(
      (key) => [restoredTableName(config.name, key), tables[key].partitionKey] as const,
    ),
    ...contents.tables.map(({ name, partitionKey }) => [name, partitionKey] as const),
  ]);
}

function roleOf({ contents }: SynthesisedDeployment, functionName: string): Role {
  const role = contents.policies.roles.get(functionName);
  if (role === undefined) throw new Error(`the templates have no role of ${functionName}`);
  return role;
}

/** What lets others invoke a function. */
function functionPolicy({ policies }: StackContents, functionArn: string): NamedPolicy | undefined {
  const Statement = policies.permissions
    .filter((permission) => permission.functionArn === functionArn)
    .map(({ statement }) => statement);
  if (Statement.length === 0) return undefined;
  const name = `permissions of ${functionArn.split(':function:')[1]}`;
  return { name, document: { Version: '2012-10-17', Statement } };
}

export type Access = ReturnType<typeof createAccess>;

/** The permissions of a synthesis, and the access keys that identify principals in this run. */
export function createAccess(
  deployment: SynthesisedDeployment,
  { accessKey, ...options }: AccessOptions,
) {
  const { contents } = deployment;
  const authorizer = new Authorizer({ account: accountId, ...options });
  const session = (name: string) => sessionPrincipal(roleOf(deployment, name), name);
  const holders = new Map<string, KeyHolder & Pick<Principal, 'arn'>>();
  const hold = (principal: Principal, key = createAccessKey()): AccessKey => {
    const { arn } = principal;
    holders.set(key.accessKeyId, { accessKey: key, arn, principal: () => principal });
    return key;
  };
  hold(userPrincipal(localUserArn(), administratorAccess), accessKey);
  const functionKeys = [...contents.functions.keys()].map((name) => {
    const arn = `arn:aws:lambda:${contents.awsRegion}:${accountId}:function:${name}`;
    return [name, hold(functionPrincipal(roleOf(deployment, name), arn))] as const;
  });
  const operatorKeys = [...contents.policies.managed].map(([name, policy]) => {
    const arn = `arn:aws:iam::${accountId}:user/${name}`;
    return [name, hold(userPrincipal(arn, policy))] as const;
  });
  const keys = partitionKeys(deployment);
  const gate = new PermissionGate(authorizer, (id) => holders.get(id), {
    account: accountId,
    partitionKey: (_, table) => keys.get(table),
  });
  return {
    control: Object.assign(gate, {
      principalArn: (id: string) => holders.get(id)?.arn ?? localUserArn(),
    }),
    /** Access keys of functions, by the function's name. */
    functionKeys: new Map(functionKeys),
    /** Access keys of users that have one managed policy each, by the policy's name. */
    operatorKeys: new Map(operatorKeys),
    /** @throws {AwsError} if the function's permissions or the role do not allow it. */
    authorizeInvocation: async ({ by, source, functionArn }: Invocation): Promise<void> => {
      const call = { action: 'lambda:InvokeFunction', resource: functionArn, context: {} };
      if (source === undefined) return authorizer.authorize(session(by), call);
      const context = { 'aws:SourceArn': source, 'aws:SourceAccount': accountId };
      const resourcePolicy = functionPolicy(contents, functionArn);
      return authorizer.authorize({ arn: by, policies: [], context }, { ...call, resourcePolicy });
    },
    /** Whether the Lambda service may call something for a function, with the function's role. */
    mayService: async (functionName: string, action: string, resource: string) => {
      const call = { action, resource, context: {} };
      const { result } = await authorizer.decide(session(functionName), call);
      return result === 'Allowed';
    },
  };
}

/** The invokers of functions in AWS. Each throws if the templates do not allow the invocation. */
export function createCallers(deployment: SynthesisedDeployment, access: Access) {
  const { config, contents } = deployment;
  const { awsRegion, integrations, policies } = contents;
  const arnOf = (name: FunctionName) =>
    `arn:aws:lambda:${awsRegion}:${accountId}:function:${functionName(config.name, name)}`;
  const api = `arn:aws:execute-api:${awsRegion}:${accountId}:${localApi.apiId}/${localApi.stage}`;
  return {
    fromApi: (path: string, method: string) =>
      access.authorizeInvocation({
        by: 'apigateway.amazonaws.com',
        source: `${api}/${method}${path}`,
        functionArn: integrations.get(path) ?? '',
      }),
    fromSchedule: (name: FunctionName) =>
      access.authorizeInvocation({
        by: 'events.amazonaws.com',
        source: policies.rules.get(arnOf(name)) ?? '',
        functionArn: arnOf(name),
      }),
  };
}
