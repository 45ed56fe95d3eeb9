import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import singleRegion from '../../config/single-region.json' with { type: 'json' };
import type { DeploymentConfigInput } from '../../contract/deployment-config.ts';
import { stackId, stackName } from '../../contract/function-names.ts';
import { leaveOutOfAll } from '../ministack/leave-out.ts';
import { runOrThrow } from '../support/run-command.ts';
import type { Template } from '../support/template-changes/template.ts';
import { importMapping } from '../tools/import-mapping.ts';
import { type Account, kinds } from './clean.ts';
import type { RunRecord, ThingKind } from './run-record.ts';

const root = resolve(import.meta.dirname, '../..');

/** The platform regions of a run's AWS regions, in their order. */
export const regionIds = ['slc', 'dfw'] as const;
/** The first one, in which almost everything is asked. */
export const [regionId] = regionIds;

export const trunkGroup = 'tg-prove';

/** What a run is asked to do. */
export interface Request {
  readonly name: string;
  readonly account: string;
  readonly awsRegions: readonly [string, ...string[]];
  /** The only principal that may delete signing keys; the account's root user if left out. */
  readonly roleArn?: string | undefined;
  readonly domain?: DeploymentConfigInput['domain'];
  readonly witnessAwsRegion?: string | undefined;
  readonly apiGatewayLogRole: 'create' | 'existing';
}

/** The config of a trial: everything that is asked is on, and times are short. */
export function configOf(request: Request): DeploymentConfigInput {
  const { name, account, awsRegions, roleArn, ...others } = request;
  const regions = awsRegions.map((awsRegion, index) => [regionIds[index], { awsRegion }]);
  return {
    ...(singleRegion as DeploymentConfigInput),
    ...others,
    name,
    regions: Object.fromEntries(regions) as DeploymentConfigInput['regions'],
    breakGlassRoleArn: roleArn,
    terminationProtection: false,
    gradualDeployment: true,
    logRetentionDays: 30,
    throttles: { documents: { rateLimit: 20, burstLimit: 10 } },
    webAcl: { tokenRequestsPerFiveMinutes: 5000 },
    tokenLifetime: { default: 600, maximum: 600 },
    // The next key may sign some minutes after the deployment.
    signingKeyPolicy: {
      rotationPeriod: 86_400,
      retention: 3600,
      jwksMaxAge: 60,
      verifierCache: 60,
      propagationLag: 60,
      keyListRefresh: 10,
    },
    management: { stackReach: [{ account, trunkGroups: [trunkGroup] }] },
  };
}

type Outputs = Readonly<Record<string, string>>;

/** By property of a template that names what its stack keeps: how it is found again. */
const keptKinds = {
  TableName: 'table',
  LogGroupName: 'log group',
  Name: 'event bus',
  ManagedPolicyName: 'policy',
} as const satisfies Record<string, ThingKind>;

/** What a stack keeps when it is deleted. @throws {Error} for what no one could find again. */
function listKept({ Resources }: Template) {
  const policies = Object.values(Resources).filter(
    ({ Type }) => Type === 'AWS::IAM::ManagedPolicy',
  );
  const all = [
    ...Object.values(importMapping(Resources)),
    ...policies.map(({ Properties = {} }) => Properties),
  ];
  return all.flatMap((names) =>
    Object.entries(keptKinds).flatMap(([property, kind]) => {
      const name = names[property];
      return typeof name === 'string' ? [{ kind, name }] : [];
    }),
  );
}

/** The stacks of a run, by the CDK. Each is in the record before it is made. */
export class Deployment {
  readonly #request: Request;
  readonly #record: RunRecord;
  readonly #isEmulator: boolean;

  /** @param isEmulator whether what the emulator lacks is left out. */
  constructor(request: Request, record: RunRecord, isEmulator: boolean) {
    this.#request = request;
    this.#record = record;
    this.#isEmulator = isEmulator;
  }

  get configPath(): string {
    return join(this.#record.folder, 'config.json');
  }

  /** At most ten letters and digits. */
  get #qualifier(): string {
    return this.#request.name.replaceAll('-', '').slice(-10);
  }

  get #context(): readonly string[] {
    const qualifier = `@aws-cdk/core:bootstrapQualifier=${this.#qualifier}`;
    return ['-c', `config=${this.configPath}`, '-c', qualifier];
  }

  /** A bootstrap of its own: what the company has is not touched, and all of it goes again. */
  async bootstrap(): Promise<void> {
    const { name, account, awsRegions } = this.#request;
    const toolkit = `${name}-toolkit`;
    this.#writeConfig();
    for (const awsRegion of awsRegions) {
      const bucket = `cdk-${this.#qualifier}-assets-${account}-${awsRegion}`;
      this.#record.intend({ kind: 'stack', name: toolkit, awsRegion });
      this.#record.intend({ kind: 'bucket', name: bucket, awsRegion });
      const names = ['--qualifier', this.#qualifier, '--toolkit-stack-name', toolkit];
      await this.#cdk('bootstrap', `aws://${account}/${awsRegion}`, ...names, ...this.#context);
    }
  }

  /** @param change lines of the config. @returns the outputs of the first region's stack. */
  async deployService(change: object = {}): Promise<Outputs> {
    const { name, awsRegions } = this.#request;
    this.#writeConfig(change);
    const assembly = await this.#synthesise('service', this.#context);
    const parts = awsRegions.map(
      (awsRegion, index) => [regionIds[index] ?? regionId, awsRegion] as const,
    );
    const data = ['data', awsRegions[0]] as const;
    for (const [part, awsRegion] of parts.length > 1 ? [data, ...parts] : parts) {
      this.#record.intend({ kind: 'keys', name, awsRegion });
      await this.#deploy(assembly, stackId(part), stackName(name, part), awsRegion);
    }
    return this.#readOutputs(assembly, stackId(regionId), stackName(name, regionId));
  }

  /** Deploys the consumers. @param values what they know. @returns the outputs of their stack. */
  async deployProbe(values: Outputs): Promise<Outputs> {
    const { name, awsRegions } = this.#request;
    const [awsRegion] = awsRegions;
    const all = Object.entries({ ...values, name, awsRegion, trunkGroup });
    const app = ['--app', `node ${join(import.meta.dirname, 'probe-app.ts')}`];
    const context = all.flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const assembly = await this.#synthesise('probe', [...app, ...context, ...this.#context]);
    const stack = `${name}-probe`;
    await this.#deploy(assembly, stack, stack, awsRegion);
    return this.#readOutputs(assembly, stack, stack);
  }

  /** Deletes the stack of the first region, and deploys it over what has stayed. */
  async deployAnew(account: Account): Promise<void> {
    const { name, awsRegions } = this.#request;
    const awsRegion = awsRegions[0];
    // The probe subscribes to the topic, and declares a client.
    for (const one of [`${name}-probe`, stackName(name, regionId)]) {
      await kinds.stack.remove(account, { kind: 'stack', name: one, awsRegion });
    }
    // No deployment can import a policy: docs/deploy.md.
    for (const thing of this.#record.things.filter(({ kind }) => kind === 'policy')) {
      await kinds.policy.remove(account, thing);
    }
    await this.deployService();
  }

  #writeConfig(change: object = {}): void {
    mkdirSync(this.#record.folder, { recursive: true });
    const config = { ...configOf(this.#request), ...change };
    writeFileSync(this.configPath, JSON.stringify(config, undefined, 2));
  }

  async #synthesise(name: string, options: readonly string[]): Promise<string> {
    const directory = join(this.#record.folder, `${name}.out`);
    await this.#cdk('synth', '--quiet', '--output', directory, ...options);
    if (this.#isEmulator) {
      const leftOut = leaveOutOfAll(directory).join(', ');
      this.#record.note({ [`${name}: the emulator lacks`]: leftOut || 'nothing' });
    }
    return directory;
  }

  /** @param id of the stack in the assembly. @param name of the stack in CloudFormation. */
  async #deploy(assembly: string, id: string, name: string, awsRegion: string): Promise<void> {
    const text = readFileSync(join(assembly, `${id}.template.json`), 'utf8');
    const kept = listKept(JSON.parse(text) as Template);
    const all = [...kept, { kind: 'stack', name } as const];
    this.#record.intend(...all.map((one) => ({ ...one, awsRegion })));
    const outputs = ['--outputs-file', join(assembly, `${id}.outputs.json`)];
    const how = ['--exclusively', '--import-existing-resources', '--require-approval', 'never'];
    await this.#cdk('deploy', id, '--app', assembly, ...how, ...outputs, '--progress', 'events');
  }

  #readOutputs(assembly: string, id: string, name: string): Outputs {
    const text = readFileSync(join(assembly, `${id}.outputs.json`), 'utf8');
    return (JSON.parse(text) as Record<string, Outputs>)[name] ?? {};
  }

  async #cdk(...args: readonly string[]): Promise<void> {
    const environment = { AWS_REGION: this.#request.awsRegions[0] };
    const options = { cwd: root, environment, timeout: 2 * 3_600_000 };
    await runOrThrow([join(root, 'node_modules/.bin/cdk'), ...args], options);
  }
}
