import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { stackId, stackName } from '../../contract/function-names.ts';
import { leaveOutOfAll } from '../ministack/leave-out.ts';
import { addReplicas } from '../ministack/regions.ts';
import { runOrThrow } from '../support/run-command.ts';
import type { Template } from '../support/template-changes/template.ts';
import { importMapping } from '../tools/import-mapping.ts';
import type { Account } from './aws.ts';
import { remove } from './clean.ts';
import trial from './config.json' with { type: 'json' };
import { intend, listThings, type RunRecord, save, type Thing } from './run-record.ts';

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
  readonly breakGlassRoleArn?: string | undefined;
  /** Of the config, e.g. the domain. */
  readonly lines?: Partial<DeploymentConfigInput>;
}

/** A request, and what plays it. */
export interface Run extends Account {
  readonly request: Request;
  readonly record: RunRecord;
  /** Whether what the emulator lacks is left out. */
  readonly isEmulator: boolean;
}

/** The config of a trial: everything that is asked is on, and times are short. */
export function configOf(request: Request): DeploymentConfigInput {
  const { lines, account, awsRegions, ...others } = request;
  const regions = awsRegions.map((awsRegion, index) => [regionIds[index], { awsRegion }]);
  return {
    ...(trial as unknown as DeploymentConfigInput),
    management: { stackReach: [{ account, trunkGroups: [trunkGroup] }] },
    ...lines,
    ...others,
    regions: Object.fromEntries(regions) as DeploymentConfigInput['regions'],
  };
}

type Outputs = Readonly<Record<string, string>>;

/** By property of a template that names what its stack keeps: how it is found again. */
const keptKinds = {
  TableName: 'table',
  LogGroupName: 'log group',
  Name: 'event bus',
  ManagedPolicyName: 'policy',
} as const;

/** With a name in the template, and no mapping: a policy, and a table that goes with its stack. */
const alsoNamed: readonly string[] = ['AWS::IAM::ManagedPolicy', 'AWS::DynamoDB::GlobalTable'];

/** What a stack keeps, and its tables. @throws {Error} for what no one could find again. */
function listKept({ Resources }: Template, awsRegion: string): readonly Thing[] {
  const all = Object.values(Resources);
  const others = all.filter(({ Type }) => alsoNamed.includes(Type));
  const named = others.map(({ Properties = {} }) => Properties);
  return [...Object.values(importMapping(Resources)), ...named].flatMap((names) =>
    Object.entries(keptKinds).flatMap(([property, kind]) =>
      property in names ? [{ kind, name: String(names[property]), awsRegion }] : [],
    ),
  );
}

async function cdk({ request }: Run, ...args: readonly string[]): Promise<void> {
  const environment = { AWS_REGION: request.awsRegions[0] };
  const command = [join(root, 'node_modules/.bin/cdk'), ...args] as const;
  await runOrThrow(command, { cwd: root, environment, timeout: 2 * 3_600_000 });
}

/** At most ten letters and digits. */
const qualifierOf = ({ name }: Request): string => name.replaceAll('-', '').slice(-10);

/** File of the config. */
export const configPathOf = ({ record }: Run): string => join(record.folder, 'config.json');

/** @param change lines of the config. @returns options of the CDK with its file. */
function writeConfig(run: Run, change: object = {}): readonly string[] {
  mkdirSync(run.record.folder, { recursive: true });
  const config = { ...configOf(run.request), ...change };
  writeFileSync(configPathOf(run), JSON.stringify(config, undefined, 2));
  const qualifier = `@aws-cdk/core:bootstrapQualifier=${qualifierOf(run.request)}`;
  return ['-c', `config=${configPathOf(run)}`, '-c', qualifier];
}

/** A bootstrap of its own: what the company has is not touched, and all of it goes again. */
export async function bootstrap(run: Run): Promise<void> {
  const { name, account, awsRegions } = run.request;
  const [toolkit, qualifier] = [`${name}-toolkit`, qualifierOf(run.request)];
  const names = ['--qualifier', qualifier, '--toolkit-stack-name', toolkit];
  for (const awsRegion of awsRegions) {
    const bucket = `cdk-${qualifier}-assets-${account}-${awsRegion}`;
    intend(run.record, { kind: 'stack', name: toolkit, awsRegion });
    intend(run.record, { kind: 'bucket', name: bucket, awsRegion });
    await cdk(run, 'bootstrap', `aws://${account}/${awsRegion}`, ...names, ...writeConfig(run));
  }
}

async function synthesise(run: Run, name: string, ...options: readonly string[]) {
  const directory = join(run.record.folder, `${name}.out`);
  await cdk(run, 'synth', '--quiet', '--output', directory, ...options);
  if (run.isEmulator) {
    const leftOut = leaveOutOfAll(directory).join(', ');
    run.record.facts[`left out of the ${name}: the emulator lacks it`] = leftOut || 'nothing';
    save(run.record);
  }
  return directory;
}

/** Deploys a stack of an assembly by its id. What it makes is in the record before. */
async function deploy(run: Run, assembly: string, id: string, thing: Thing): Promise<Outputs> {
  const { name: stack, awsRegion } = thing;
  const text = readFileSync(join(assembly, `${id}.template.json`), 'utf8');
  const kept = listKept(JSON.parse(text) as Template, awsRegion);
  intend(run.record, ...kept, thing);
  const file = join(assembly, `${id}.outputs.json`);
  const how = ['--exclusively', '--import-existing-resources', '--require-approval', 'never'];
  const outputs = ['--outputs-file', file, '--progress', 'events'];
  await cdk(run, 'deploy', id, '--app', assembly, ...how, ...outputs);
  return (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Outputs>)[stack] ?? {};
}

/** @param change lines of the config. @returns the outputs of the first region's stack. */
export async function deployService(run: Run, change: object = {}): Promise<Outputs> {
  const { name, awsRegions } = run.request;
  const assembly = await synthesise(run, 'service', ...writeConfig(run, change));
  const regions = awsRegions.map((one, index) => [regionIds[index] ?? regionId, one] as const);
  const data = ['data', awsRegions[0]] as const;
  const config = parseDeploymentConfig(configOf(run.request));
  const outputs: Record<string, Outputs> = {};
  for (const [part, awsRegion] of regions.length > 1 ? [data, ...regions] : regions) {
    intend(run.record, { kind: 'keys', name, awsRegion });
    const stack = { kind: 'stack', name: stackName(name, part), awsRegion } as const;
    outputs[part] = await deploy(run, assembly, stackId(part), stack);
    if (run.isEmulator && part === 'data') await addReplicas(run.aws().dynamodb, config);
  }
  return outputs[regionId] ?? {};
}

/** Deploys the consumers. @param values what they know. @returns the outputs of their stack. */
export async function deployProbe(run: Run, values: Outputs): Promise<Outputs> {
  const { name, awsRegions } = run.request;
  const [awsRegion] = awsRegions;
  const all = Object.entries({ ...values, name, awsRegion, trunkGroup });
  const context = all.flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const app = ['--app', `node ${join(import.meta.dirname, 'probe-app.ts')}`];
  const assembly = await synthesise(run, 'probe', ...app, ...context, ...writeConfig(run));
  const stack = `${name}-probe`;
  return deploy(run, assembly, stack, { kind: 'stack', name: stack, awsRegion });
}

/** Deletes the stack of the first region, and deploys it over what has stayed. */
export async function deployAnew(run: Run): Promise<void> {
  const { name, awsRegions } = run.request;
  // The probe subscribes to the topic, and declares a client.
  for (const stack of [`${name}-probe`, stackName(name, regionId)]) {
    await remove(run, { kind: 'stack', name: stack, awsRegion: awsRegions[0] });
  }
  // No deployment can import a policy: docs/deploy.md.
  for (const thing of listThings(run.record)) if (thing.kind === 'policy') await remove(run, thing);
  await deployService(run);
}
