import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalRunError } from '../../emulator/loopback-server.ts';

/** A resource of a CloudFormation template, intrinsic functions unresolved. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** A stack from the output of `cdk synth`, as a deployment would upload it. */
export interface SynthesisedStack {
  readonly name: string;
  readonly awsRegion: string;
  readonly resources: ReadonlyMap<string, TemplateResource>;
  /** Folders of the functions' code, by the S3 key of their upload. */
  readonly assets: ReadonlyMap<string, string>;
}

/** What a manifest, a template and a list of assets have, as far as it is read here. */
interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { readonly type: string; readonly environment?: string }>
  >;
}

interface Template {
  readonly Resources: Readonly<Record<string, Partial<TemplateResource>>>;
}

interface Assets {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: { readonly path?: string; readonly packaging?: string };
        readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
      }
    >
  >;
}

const readJson = (...path: readonly string[]): unknown =>
  JSON.parse(readFileSync(join(...path), 'utf8'));

function readAssets(directory: string, stackName: string): ReadonlyMap<string, string> {
  const { files } = readJson(directory, `${stackName}.assets.json`) as Assets;
  const folders = Object.values(files).flatMap(({ source, destinations }) =>
    source.packaging === 'zip' && source.path !== undefined
      ? Object.values(destinations).map(
          ({ objectKey }) => [objectKey, join(directory, source.path ?? '')] as const,
        )
      : [],
  );
  return new Map(folders);
}

/**
 * Reads the one stack of a synthesis.
 *
 * @param directory the CDK's output, e.g. `cdk.out`.
 * @throws {LocalRunError} unless it has one.
 */
export function readAssembly(directory: string): SynthesisedStack {
  const { artifacts } = readJson(directory, 'manifest.json') as Manifest;
  const stacks = Object.entries(artifacts).filter(
    ([, { type }]) => type === 'aws:cloudformation:stack',
  );
  const [first, ...others] = stacks;
  if (first === undefined || others.length > 0) {
    throw new LocalRunError(`${directory}: received ${stacks.length} stacks; allowed: one`);
  }
  const [name, { environment }] = first;
  const { Resources } = readJson(directory, `${name}.template.json`) as Template;
  const resources = Object.entries(Resources).map(
    ([id, { Type = '', Properties = {} }]) => [id, { Type, Properties }] as const,
  );
  return {
    name,
    awsRegion: environment?.split('/').at(-1) ?? '',
    resources: new Map(resources),
    assets: readAssets(directory, name),
  };
}
