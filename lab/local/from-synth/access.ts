import type { FunctionName } from '../../../contract/environment.ts';
import { functionName } from '../../../contract/function-names.ts';
import { restoredTableName, tableKeys, tables } from '../../../contract/tables.ts';
import { type AccessKey, createAccessKey } from '../../emulator/aws-server/access-key.ts';
import { localApi } from '../../emulator/gateway/request-context.ts';
import { Authorizer, type DecidedRequest, type Principal } from '../../emulator/iam/authorizer.ts';
import type { NamedPolicy } from '../../emulator/iam/evaluate-request.ts';
import { type AccessControl, PermissionGate } from '../../emulator/iam/permission-gate.ts';
import {
  administratorAccess,
  functionPrincipal,
  type Role,
  sessionPrincipal,
  userPrincipal,
} from '../../emulator/iam/principals.ts';
import type { Propagation } from '../../emulator/iam/propagation.ts';
import { localUserArn } from '../../emulator/sts-server.ts';
import type { SynthesisedDeployment } from './synthesised-deployment.ts';

/** An invocation by an AWS service, or with a role. */
interface Invocation {
  /** A service's name or, for a role of the templates, its function. */
  readonly by: string;
  /** ARN of the source of the call: an API's method, or a rule. */
  readonly source?: string | undefined;
  readonly functionArn: string;
}

/** The permissions of a synthesis, and the access keys that identify principals in this run. */
export interface Access {
  readonly control: AccessControl;
  /** Access keys of functions, by the function's name. */
  readonly functionKeys: ReadonlyMap<string, AccessKey>;
  /** Access keys of users that have one managed policy each, by the policy's name. */
  readonly operatorKeys: ReadonlyMap<string, AccessKey>;
  /** @throws {AwsError} if the function's permissions or the role do not allow it. */
  authorizeInvocation(invocation: Invocation): Promise<void>;
  /** Whether the Lambda service may call something for a function, with the function's role. */
  mayService(functionName: string, action: string, resource: string): Promise<boolean>;
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

/** Evaluates the policies of a synthesis. */
class SynthesisedAccess implements Access {
  readonly control: AccessControl;
  readonly functionKeys: ReadonlyMap<string, AccessKey>;
  readonly operatorKeys: ReadonlyMap<string, AccessKey>;
  readonly #deployment: SynthesisedDeployment;
  readonly #authorizer: Authorizer;

  constructor(deployment: SynthesisedDeployment, { accessKey, ...options }: AccessOptions) {
    this.#deployment = deployment;
    this.#authorizer = new Authorizer({ account: accountId, ...options });
    const { functions, policies } = deployment.contents;
    const issue = (names: Iterable<string>) =>
      new Map([...names].map((name) => [name, createAccessKey()] as const));
    this.functionKeys = issue(functions.keys());
    this.operatorKeys = issue(policies.managed.keys());
    const principals = [
      [accessKey, userPrincipal(localUserArn(), administratorAccess)] as const,
      ...[...this.functionKeys].map(([name, key]) => [key, this.#functionPrincipal(name)] as const),
      ...[...this.operatorKeys].map(([name, key]) => [key, this.#operatorPrincipal(name)] as const),
    ];
    const holders = new Map(
      principals.map(([key, principal]) => [
        key.accessKeyId,
        { accessKey: key, arn: principal.arn, principal: () => principal },
      ]),
    );
    const keys = partitionKeys(deployment);
    const gate = new PermissionGate(this.#authorizer, (id) => holders.get(id), {
      account: accountId,
      partitionKey: (_, table) => keys.get(table),
    });
    this.control = Object.assign(gate, {
      principalArn: (id: string) => holders.get(id)?.arn ?? localUserArn(),
    });
  }

  async authorizeInvocation({ by, source, functionArn }: Invocation): Promise<void> {
    const call = { action: 'lambda:InvokeFunction', resource: functionArn, context: {} };
    if (source === undefined) {
      await this.#authorizer.authorize(sessionPrincipal(this.#role(by), by), call);
      return;
    }
    const context = { 'aws:SourceArn': source, 'aws:SourceAccount': accountId };
    const principal = { arn: by, policies: [], context };
    const resourcePolicy = this.#functionPolicy(functionArn);
    await this.#authorizer.authorize(principal, { ...call, resourcePolicy });
  }

  async mayService(functionName: string, action: string, resource: string): Promise<boolean> {
    const principal = sessionPrincipal(this.#role(functionName), functionName);
    const call = { action, resource, context: {} };
    return (await this.#authorizer.decide(principal, call)).result === 'Allowed';
  }

  #role(functionName: string): Role {
    const { policies } = this.#deployment.contents;
    const role = policies.roles.get(functionName);
    if (role === undefined) throw new Error(`the templates have no role of ${functionName}`);
    const { permissionsBoundary } = this.#deployment;
    return { ...role, boundary: role.boundaryArn === undefined ? undefined : permissionsBoundary };
  }

  #functionPrincipal(name: string): Principal {
    const { awsRegion } = this.#deployment.contents;
    const arn = `arn:aws:lambda:${awsRegion}:${accountId}:function:${name}`;
    return functionPrincipal(this.#role(name), arn);
  }

  #operatorPrincipal(name: string): Principal {
    const policy = this.#deployment.contents.policies.managed.get(name);
    if (policy === undefined) throw new Error(`the templates have no managed policy ${name}`);
    return userPrincipal(`arn:aws:iam::${accountId}:user/${name}`, policy);
  }

  #functionPolicy(functionArn: string): NamedPolicy | undefined {
    const Statement = this.#deployment.contents.policies.permissions
      .filter((permission) => permission.functionArn === functionArn)
      .map(({ statement }) => statement);
    if (Statement.length === 0) return undefined;
    const name = `permissions of ${functionArn.split(':function:')[1]}`;
    return { name, document: { Version: '2012-10-17', Statement } };
  }
}

export function createAccess(deployment: SynthesisedDeployment, options: AccessOptions): Access {
  return new SynthesisedAccess(deployment, options);
}

/** The invokers of functions in AWS. Each throws if the templates do not allow the invocation. */
interface Callers {
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
