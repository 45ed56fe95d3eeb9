import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { ResourceNotFoundException } from '@aws-sdk/client-lambda';
import { type AccessKey, createAccessKey } from '../../emulator/aws-server/access-key.ts';
import { AwsError, type AwsService } from '../../emulator/aws-server/aws-error.ts';
import { createAwsListener } from '../../emulator/aws-server/aws-server.ts';
import type { VerifiedRequest } from '../../emulator/aws-server/verify-signature.ts';
import { forwardHead } from '../../emulator/http-exchange.ts';
import { Authorizer } from '../../emulator/iam/authorizer.ts';
import { type FindKey, UnknownCallError } from '../../emulator/iam/aws-calls.ts';
import {
  PermissionGate as DecidingGate,
  type KeyHolder,
} from '../../emulator/iam/permission-gate.ts';
import {
  administratorAccess,
  functionPrincipal,
  type Role,
  userPrincipal,
} from '../../emulator/iam/principals.ts';
import { closeServer, listenOnLoopback, loopbackHost } from '../../emulator/loopback-server.ts';
import type { CallRecord } from './call-record.ts';
import type { DeployedAccount } from './deployed-account.ts';
import { account, functionKey, functionOfKey } from './function-key.ts';

/** Milliseconds. The emulator takes as long to return one role as to handle several calls. */
const maxAge = 1000;

/** Roles of functions, each read once a second at most. On AWS, changes of IAM take longer. */
class RecentRoles {
  readonly #readRole: (functionArn: string) => Promise<Role>;
  readonly #clock: () => number;
  readonly #roles = new Map<string, { readonly role: Promise<Role>; readonly at: number }>();

  constructor(readRole: (functionArn: string) => Promise<Role>, clock: () => number) {
    this.#readRole = readRole;
    this.#clock = clock;
  }

  recall(functionArn: string): Promise<Role> {
    const known = this.#roles.get(functionArn);
    return known !== undefined && this.#clock() - known.at < maxAge
      ? known.role
      : this.read(functionArn);
  }

  /**
   * Reads the role now. A process keeps its role for as long as it runs, also after its version was
   * removed.
   */
  read(functionArn: string): Promise<Role> {
    const before = this.#roles.get(functionArn)?.role;
    const role = this.#readRole(functionArn).catch((error: unknown) => {
      if (before === undefined || !(error instanceof ResourceNotFoundException)) throw error;
      return before;
    });
    this.#roles.set(functionArn, { role, at: this.#clock() });
    return role;
  }
}

interface PermissionGateOptions {
  /** Port of the emulator. */
  readonly emulatorPort: number;
  readonly deployed: DeployedAccount;
  readonly record: CallRecord;
  /** Milliseconds. */
  readonly clock?: () => number;
}

const services: readonly AwsService[] = ['dynamodb', 'kms', 'lambda', 'secretsmanager', 'sts'];

/** DynamoDB's quota, the largest of these services. */
const maxRequestBytes = 16 * 1024 * 1024;

/** The service that the credential scope of a signature names. */
function signedService({ headers }: IncomingMessage): AwsService | undefined {
  const name = /\/([a-z0-9-]+)\/aws4_request/.exec(headers.authorization ?? '')?.[1];
  return services.find((service) => service === name);
}

/** The answer of a custom resource to CloudFormation. AWS gives the function a presigned URL. */
function isCustomResourceAnswer({ method, url }: IncomingMessage): boolean {
  return method === 'PUT' && url?.startsWith('/_ministack/cfn-response/') === true;
}

const administrator = userPrincipal(
  `arn:aws:iam::${account}:user/administrator`,
  administratorAccess,
);

/** Who may do everything, by calls to the emulator itself. Only those to STS come this way. */
const deployer = { accessKeyId: 'test', secretAccessKey: 'test' };

/** The only way from deployed functions to the emulator: it authorizes every call as AWS would. */
export class PermissionGate {
  readonly #options: PermissionGateOptions;
  readonly #authorizer: Authorizer;
  readonly #roles: RecentRoles;
  readonly #secret = randomBytes(32).toString('base64url');
  readonly #gate: DecidingGate;
  readonly #server = createServer((message, response) => this.#receive(message, response));
  port = 0;
  /** An access key with `AdministratorAccess`, which key policies limit. */
  readonly administrator = createAccessKey();
  /** Users by access key id. */
  readonly #users = new Map<string, KeyHolder>();
  /** By these a function's process takes an access key of its own. */
  readonly variables: Readonly<Record<string, string>> = {
    FUNCTION_KEY_SECRET: this.#secret,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'function-identity.ts')}`,
  };
  readonly #listeners = new Map(
    services.map((service) => [
      service,
      createAwsListener({
        service,
        accessKey: this.administrator,
        accessControl: { findAccessKey: (id) => this.#findHolder(id, service)?.accessKey },
        maxRequestBytes,
        answer: (call, response) => this.#answer(service, call, response),
      }),
    ]),
  );

  constructor(options: PermissionGateOptions) {
    this.#options = options;
    const { record, deployed, clock = () => performance.now() } = options;
    this.#roles = new RecentRoles(deployed.roleOf, clock);
    this.#authorizer = new Authorizer({ account, onDecision: (one) => record.add(one) });
    const { partitionKey } = deployed;
    const findHolder = (id: string) => this.#findHolder(id);
    this.#gate = new DecidingGate(this.#authorizer, findHolder, { account, partitionKey });
    for (const accessKey of [this.administrator, deployer]) {
      this.#users.set(accessKey.accessKeyId, { accessKey, principal: () => administrator });
    }
  }

  get endpoint(): string {
    return `http://${loopbackHost}:${this.port}`;
  }

  async listen(): Promise<void> {
    this.port = await listenOnLoopback(this.#server, { port: 0 }, 'permission gate');
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }

  /** An access key of a user that has one managed policy. */
  operator(policyName: string): AccessKey {
    const accessKey = createAccessKey();
    this.#users.set(accessKey.accessKeyId, {
      accessKey,
      principal: async () => {
        const policy = await this.#options.deployed.managedPolicy(policyName);
        return userPrincipal(`arn:aws:iam::${account}:user/${policyName}`, policy);
      },
    });
    return accessKey;
  }

  #receive(message: IncomingMessage, response: ServerResponse): void {
    const service = signedService(message);
    const listener = service && this.#listeners.get(service);
    if (listener !== undefined) {
      listener(message, response);
    } else if (isCustomResourceAnswer(message)) {
      message.pipe(forwardHead(this.#options.emulatorPort, message, response));
    } else {
      const { authorization = 'no signature' } = message.headers;
      const [scope] = authorization.split(', SignedHeaders');
      this.#options.record.addProblem(`${message.method} ${message.url} with ${scope}`);
      response.writeHead(403).end();
    }
  }

  #findHolder(accessKeyId: string, service: AwsService = 'sts'): KeyHolder | undefined {
    const user = this.#users.get(accessKeyId);
    if (user !== undefined && (user.accessKey !== deployer || service === 'sts')) return user;
    const functionArn = functionOfKey(accessKeyId);
    if (functionArn !== undefined) return this.#functionHolder(functionArn);
    this.#options.record.addProblem(`a call was signed with ${accessKeyId}, not a function's key`);
    return undefined;
  }

  async #answer(
    service: AwsService,
    call: VerifiedRequest,
    response: ServerResponse,
  ): Promise<void> {
    try {
      const isDeployer = call.accessKeyId === deployer.accessKeyId;
      if (!isDeployer) await this.#gate.authorize(service, call, this.#findKey);
    } catch (error) {
      if (!(error instanceof AwsError) || error instanceof UnknownCallError) {
        this.#options.record.addProblem(String(error));
      }
      throw error;
    }
    if (functionOfKey(call.accessKeyId) !== undefined) this.#options.record.addForwarded();
    forwardHead(this.#options.emulatorPort, call, response).end(call.body);
  }

  /** A function's role as it was within the last second, or as it is now if that denies the call. */
  #functionHolder(functionArn: string): KeyHolder {
    return {
      accessKey: functionKey(functionArn, this.#secret),
      principal: async (call) => {
        const recent = functionPrincipal(await this.#roles.recall(functionArn), functionArn);
        if (await this.#authorizer.allows(recent, call)) return recent;
        return functionPrincipal(await this.#roles.read(functionArn), functionArn);
      },
    };
  }

  readonly #findKey: FindKey = async ({ KeyId }, region) => {
    const { key } = this.#options.deployed;
    const found = typeof KeyId === 'string' ? await key(region, KeyId) : undefined;
    if (found !== undefined) return found;
    throw new AwsError('NotFoundException', `Key '${String(KeyId)}' does not exist`);
  };
}

export async function startPermissionGate(options: PermissionGateOptions): Promise<PermissionGate> {
  const gate = new PermissionGate(options);
  await gate.listen();
  return gate;
}
