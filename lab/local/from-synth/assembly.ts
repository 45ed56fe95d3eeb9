import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
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

const manifestSchema = v.object({
  artifacts: v.record(
    v.string(),
    v.object({
      type: v.string(),
      environment: v.optional(v.string()),
      properties: v.optional(v.record(v.string(), v.unknown())),
    }),
  ),
});

const templateSchema = v.object({
  Resources: v.record(
    v.string(),
    v.object({
      Type: v.string(),
      Properties: v.optional(v.record(v.string(), v.unknown()), {}),
    }),
  ),
});

const assetsSchema = v.object({
  files: v.record(
    v.string(),
    v.object({
      source: v.object({ path: v.optional(v.string()), packaging: v.optional(v.string()) }),
      destinations: v.record(v.string(), v.object({ objectKey: v.string() })),
    }),
  ),
});

function readJson<T extends v.GenericSchema>(path: string, schema: T): v.InferOutput<T> {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new LocalRunError(`${path} cannot be read: run "npx cdk synth" again`, { cause });
  }
  const result = v.safeParse(schema, found);
  if (result.success) return result.output;
  throw new LocalRunError(`${path} is not an output of "cdk synth": run it again`);
}

function readAssets(directory: string, stackName: string): ReadonlyMap<string, string> {
  const { files } = readJson(join(directory, `${stackName}.assets.json`), assetsSchema);
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
 * @throws {LocalRunError} if there is none, or several regions.
 */
export function readAssembly(directory: string): SynthesisedStack {
  const manifestPath = join(directory, 'manifest.json');
  if (!existsSync(manifestPath)) {
    throw new LocalRunError(`there are no templates in ${directory}: run "npx cdk synth" first`);
  }
  const { artifacts } = readJson(manifestPath, manifestSchema);
  const stacks = Object.entries(artifacts).filter(
    ([, { type }]) => type === 'aws:cloudformation:stack',
  );
  const [first, ...others] = stacks;
  if (first === undefined || others.length > 0) {
    const names = stacks.map(([name]) => name).join(', ') || 'no stack';
    throw new LocalRunError(
      `${directory} holds ${names}; allowed: the one stack of a config with one region, e.g. npx cdk synth -c config=config/single-region.json`,
    );
  }
  const [name, { environment, properties }] = first;
  const template = join(directory, String(properties?.['templateFile']));
  return {
    name,
    awsRegion: environment?.split('/').at(-1) ?? '',
    resources: new Map(Object.entries(readJson(template, templateSchema).Resources)),
    assets: readAssets(directory, name),
  };
}
