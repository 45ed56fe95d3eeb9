import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import type { DeploymentConfig, DeploymentConfigInput } from '../../contract/deployment-config.ts';
import type { RegionId } from '../../contract/regions.ts';
import { deployedTableName } from '../../contract/tables.ts';
import { forwardHead } from '../emulator/http-exchange.ts';
import { closeServer, listenOnLoopback, loopbackHost } from '../emulator/loopback-server.ts';
import { ageNextKey } from '../support/age-next-key.ts';
import { openServices, type Services } from '../support/aws-services.ts';
import { type Command, runOrThrow } from '../support/run-command.ts';
import { leaveOutOfAll } from './leave-out.ts';
import { failureFile, indexHoldFile } from './ministack.ts';
import type { CallRecord } from './permissions/call-record.ts';
import type { DeployedAccount } from './permissions/deployed-account.ts';
import { account } from './permissions/function-key.ts';
import type { PermissionGate } from './permissions/permission-gate.ts';

/** The region that the credential scope of a signature names. */
const signedRegion = /Credential=[^/]+\/\d+\/([^/]+)\//;

/** What every refused call says. The SDK repeats it no more often than another error of the caller. */
const outageCode = 'RegionIsDown';

/** In the protocol of the call: JSON or XML. */
function refuse(response: ServerResponse, type: string, awsRegion: string): void {
  const message = `${awsRegion} does not answer`;
  response.writeHead(400, { 'content-type': type });
  response.end(
    type.includes('json')
      ? JSON.stringify({ __type: outageCode, message })
      : `<ErrorResponse><Error><Code>${outageCode}</Code><Message>${message}</Message></Error></ErrorResponse>`,
  );
}

/** The way to the emulator while one AWS region does not answer: it refuses what is signed for it. */
async function startRegionOutage(emulatorPort: number, awsRegion: string) {
  const server = createServer((incoming, response) => {
    const { authorization = '', 'content-type': type = 'text/xml' } = incoming.headers;
    if (signedRegion.exec(authorization)?.[1] === awsRegion) {
      incoming.resume().once('end', () => refuse(response, type, awsRegion));
    } else {
      incoming.pipe(forwardHead(emulatorPort, incoming, response));
    }
  });
  const port = await listenOnLoopback(server);
  return { endpoint: `http://${loopbackHost}:${port}`, close: () => closeServer(server) };
}

const root = resolve(import.meta.dirname, '../..');

const defaultRegion = 'us-west-2';

/** Templates and assets, and which resource types are not in the templates any more. */
export interface Assembly {
  readonly directory: string;
  readonly leftOut: readonly string[];
}

/** What a command of `authctl` prints. */
type Printed = Readonly<Record<string, unknown>>;

/** Runs a command of `authctl`. */
export type Authctl = (...args: readonly string[]) => Promise<Printed>;

/** Outputs of a stack by name. */
export type Outputs = Readonly<Record<string, string>>;

/** `authctl` of this version, which prints JSON. */
export function authctlCommand(config: string, ...args: readonly string[]): Command {
  return [process.execPath, join(root, 'cli/authctl.ts'), '--config', config, '--json', ...args];
}

function run(
  command: Command,
  onlyEnvironment: NodeJS.ProcessEnv,
  cwd: string = root,
): Promise<string> {
  return runOrThrow(command, { cwd, onlyEnvironment });
}

/** The emulator's services, which let these credentials do everything. */
export const openEmulated = (endpoint: string) =>
  openServices(() => ({
    endpoint,
    forcePathStyle: true,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  }));

/** IAM for the functions and operators of an emulated account. Deployments may do everything. */
interface Permissions {
  readonly gate: PermissionGate;
  readonly deployed: DeployedAccount;
  readonly record: CallRecord;
}

/** An account of AWS on this machine, emulated, and the tools that work on it. */
export class Cloud {
  readonly #work: string;
  readonly endpoint: string;
  /** What IAM lets functions and `authctl` do. */
  readonly permissions: Permissions;
  /** An AWS region by the SDK, which may do everything. */
  readonly aws: (region: string) => Services;
  /** The region of the CDK's own calls, which belong to no stack. */
  readonly #cdkRegion: string;

  constructor(
    work: string,
    endpoint: string,
    permissions: Permissions,
    cdkRegion: string = defaultRegion,
  ) {
    this.#work = work;
    this.endpoint = endpoint;
    this.permissions = permissions;
    this.aws = openEmulated(endpoint);
    this.#cdkRegion = cdkRegion;
  }

  /** As if two days had gone by since a region's next key was published. */
  async ageNextKey(config: DeploymentConfig, regionId: RegionId): Promise<void> {
    const awsRegion = config.regions[regionId]?.awsRegion ?? '';
    const table = deployedTableName(config, 'signingKeys');
    await ageNextKey(this.aws(awsRegion).dynamodb, { table, regionId });
  }

  async bootstrap(...awsRegions: readonly string[]): Promise<void> {
    const environments = awsRegions.map((name) => `aws://${account}/${name}`);
    // The CDK synthesises before it looks at the environments.
    await this.#cdk('bootstrap', ...environments, '-c', 'config=config/single-region.json');
  }

  writeConfig(config: DeploymentConfigInput): string {
    const path = join(this.#work, 'config.json');
    writeFileSync(path, JSON.stringify(config));
    return path;
  }

  /**
   * Synthesises an app and takes out what the emulator lacks.
   *
   * @param options of the CDK that choose app and context.
   */
  async synthesise(name: string, ...options: readonly string[]): Promise<Assembly> {
    const directory = join(this.#work, `${name}.out`);
    mkdirSync(directory, { recursive: true });
    await this.#cdk('synth', '--quiet', '--output', directory, ...options);
    return { directory, leftOut: leaveOutOfAll(directory) };
  }

  /** Synthesises the stacks of a config. */
  synthesiseConfig(name: string, config: DeploymentConfigInput): Promise<Assembly> {
    return this.synthesise(name, '-c', `config=${this.writeConfig(config)}`);
  }

  /** An assembly that was synthesised before, without what the emulator lacks. */
  addAssembly(name: string, write: (directory: string) => void): Assembly {
    const directory = join(this.#work, `${name}.out`);
    write(directory);
    return { directory, leftOut: leaveOutOfAll(directory) };
  }

  /** @returns the outputs by stack name. */
  deploy(
    assembly: Assembly,
    ...stacks: readonly string[]
  ): Promise<Readonly<Record<string, Outputs>>> {
    return this.deployWithDependencies(assembly, '--exclusively', ...stacks);
  }

  /** The same with the stacks that these depend on, as `cdk deploy` does without an option. */
  async deployWithDependencies(
    { directory }: Assembly,
    ...stacks: readonly string[]
  ): Promise<Readonly<Record<string, Outputs>>> {
    const file = join(this.#work, 'outputs.json');
    const quiet = ['--require-approval', 'never', '--progress', 'events', '--concurrency', '3'];
    const files = ['--app', directory, '--outputs-file', file];
    await this.#cdk('deploy', ...stacks, ...files, ...quiet);
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Outputs>;
  }

  /**
   * Puts a template into the bucket of the bootstrap, as the CDK does.
   *
   * @returns its URL for CloudFormation.
   */
  async publish(awsRegion: string, name: string, template: string): Promise<string> {
    const bucket = `cdk-hnb659fds-assets-${account}-${awsRegion}`;
    const url = `${this.endpoint}/${bucket}/${name}`;
    const response = await fetch(url, { method: 'PUT', body: template });
    if (!response.ok) throw new Error(`${url}: status ${response.status}`);
    return url;
  }

  /** Lets the next creation or change of a resource fail. */
  failNext(logicalId: string): void {
    writeFileSync(failureFile(this.#work), logicalId);
  }

  /** From now on, a new index of an existing table is not filled. */
  holdIndexes(): void {
    writeFileSync(indexHoldFile(this.#work), '');
  }

  fillIndexes(): void {
    rmSync(indexHoldFile(this.#work));
  }

  async destroy({ directory }: Assembly, ...stacks: readonly string[]): Promise<void> {
    await this.#cdk('destroy', ...stacks, '--exclusively', '--force', '--app', directory);
  }

  /**
   * `authctl` of an administrator, or of a user that has only one of the deployed operator policies.
   * It returns what `--json` printed.
   */
  authctl(config: string, awsRegion: string, policyName?: string): Authctl {
    const environment = this.operatorEnvironment(awsRegion, policyName);
    return async (...args) =>
      JSON.parse(await run(authctlCommand(config, ...args), environment)) as Printed;
  }

  /**
   * The environment of a user whose calls IAM decides: one that has only one of the deployed operator
   * policies, or else an administrator, whom key policies limit.
   */
  operatorEnvironment(awsRegion: string, policyName?: string): NodeJS.ProcessEnv {
    const { gate } = this.permissions;
    const { accessKeyId, secretAccessKey } =
      policyName === undefined ? gate.administrator : gate.operator(policyName);
    return {
      ...this.deployerEnvironment(awsRegion),
      AWS_ENDPOINT_URL: gate.endpoint,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    };
  }

  /**
   * Runs a command in a shell, as a page or another command names it. The permissions of `authctl`
   * are an administrator's.
   *
   * @param folder where it runs; this project if left out.
   * @returns standard output.
   */
  shell(
    command: string,
    variables: Readonly<Record<string, string>>,
    folder?: string,
  ): Promise<string> {
    const environment = command.includes('npx --no -- authctl ')
      ? this.operatorEnvironment(defaultRegion)
      : this.deployerEnvironment(defaultRegion);
    const script: Command = ['bash', '-euo', 'pipefail', '-c', command];
    return run(script, { ...environment, ...variables }, folder);
  }

  async #cdk(...args: readonly string[]): Promise<void> {
    await run(
      [join(root, 'node_modules/.bin/cdk'), ...args],
      this.deployerEnvironment(this.#cdkRegion),
    );
  }

  /**
   * The same account while an AWS region does not answer.
   *
   * @param cdkRegion a region that does, for the CDK's own calls.
   */
  async duringOutage(
    awsRegion: string,
    cdkRegion: string,
    attempt: (cloud: Cloud) => Promise<void>,
  ): Promise<void> {
    const outage = await startRegionOutage(Number(new URL(this.endpoint).port), awsRegion);
    try {
      await attempt(new Cloud(this.#work, outage.endpoint, this.permissions, cdkRegion));
    } finally {
      await outage.close();
    }
  }

  /** The environment of one who deploys, and may do everything. */
  deployerEnvironment(awsRegion: string): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      // A home of its own keeps the CLI's cache of accounts apart.
      HOME: this.#work,
      AWS_ENDPOINT_URL: this.endpoint,
      AWS_REGION: awsRegion,
      // The command line of AWS from PyPI reads only this one.
      AWS_DEFAULT_REGION: awsRegion,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    };
  }
}
