import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import type { Template } from '../template-changes/template.ts';

/** What a release deploys: `lab/tools/keep-release.ts` makes the file. */
export interface KeptRelease {
  /** Its version, which names the file. */
  readonly version: string;
  /** The commit, shortened. */
  readonly commit: string;
  /** By the name of the config. */
  readonly deployments: Readonly<Record<string, KeptDeployment>>;
  /** Its command line, as one ECMAScript module. It imports AWS's SDK. */
  readonly authctl: string;
  /** `createVerifier` and `createDynamoDbLookups` as one ECMAScript module. */
  readonly verifier: string;
  /** Its command `forward-auth`, as one ECMAScript module. */
  readonly forwardAuth: string;
  /** The bundle of the function that a PlatformAuthorizer deploys, as CommonJS. */
  readonly authorizer: string;
}

export interface KeptDeployment {
  readonly config: DeploymentConfigInput;
  /** The cloud assembly: texts by their path in its folder. The assets have no source maps. */
  readonly files: Readonly<Record<string, string>>;
}

const directory = resolve(import.meta.dirname, '../../../test/fixtures/releases');
const extension = '.json.br';
const templateExtension = '.template.json';

/** Versions of the kept releases. */
export function listReleases(): readonly string[] {
  return readdirSync(directory).map((name) => basename(name, extension));
}

export function readRelease(version: string): KeptRelease {
  const compressed = readFileSync(join(directory, version + extension));
  return JSON.parse(brotliDecompressSync(compressed).toString('utf8')) as KeptRelease;
}

/** @returns the number of bytes of the file. */
export function writeRelease(release: KeptRelease): number {
  const text = JSON.stringify(release);
  const compressed = brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
    },
  });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, release.version + extension), compressed);
  return compressed.length;
}

/** Templates of a deployment by stack. */
export function templatesOf({ files }: KeptDeployment): Readonly<Record<string, Template>> {
  const templates = Object.entries(files).filter(([path]) => path.endsWith(templateExtension));
  return Object.fromEntries(
    templates.map(([path, text]) => [
      basename(path, templateExtension),
      JSON.parse(text) as Template,
    ]),
  );
}

/** Writes the cloud assembly of a deployment into a folder, for `cdk deploy --app`. */
export function writeAssembly({ files }: KeptDeployment, outdir: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(outdir, path)), { recursive: true });
    writeFileSync(join(outdir, path), text);
  }
}

/** Properties of a table, as far as an index has a part of them. */
interface TableProperties {
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly AttributeDefinitions: readonly { readonly AttributeName: string }[];
  readonly Replicas?: readonly object[];
  readonly GlobalSecondaryIndexes?: unknown;
}

function withoutIndex(table: TableProperties) {
  const keys = table.KeySchema.map(({ AttributeName }) => AttributeName);
  return {
    ...table,
    GlobalSecondaryIndexes: undefined,
    AttributeDefinitions: table.AttributeDefinitions.filter((one) =>
      keys.includes(one.AttributeName),
    ),
    Replicas: table.Replicas?.map((replica) => ({
      ...replica,
      GlobalSecondaryIndexes: undefined,
    })),
  };
}

/**
 * Templates in place of those of a deployment. CDK keeps a template in S3 by its hash, and uploads
 * nothing under a name that exists: each of them needs a name of its own.
 */
function withTemplates(
  { files, ...kept }: KeptDeployment,
  templates: Readonly<Record<string, Template>>,
): KeptDeployment {
  const changed = { ...files };
  for (const [stack, template] of Object.entries(templates)) {
    const path = stack + templateExtension;
    const text = JSON.stringify(template);
    const list = `${stack}.assets.json`;
    const assets = JSON.parse(files[list] ?? '{}') as {
      readonly files: Readonly<Record<string, { readonly source: { readonly path: string } }>>;
    };
    const [former] =
      Object.entries(assets.files).find(([, { source }]) => source.path === path) ?? [];
    if (former === undefined) throw new Error(`${list} does not name ${path}`);
    const hash = createHash('sha256').update(text).digest('hex');
    changed[path] = text;
    for (const one of [list, 'manifest.json']) {
      changed[one] = (changed[one] ?? '').replaceAll(former, hash);
    }
  }
  return { ...kept, files: changed };
}

/** The deployment as if its release had no index yet: an update then adds what it has. */
export function withoutIndexes(kept: KeptDeployment): KeptDeployment {
  const templates = Object.entries(templatesOf(kept)).map(([stack, template]) => {
    const resources = Object.entries(template.Resources).map(([id, resource]) => {
      const hasIndex = resource.Properties?.['GlobalSecondaryIndexes'] !== undefined;
      if (!hasIndex) return [id, resource] as const;
      const table = resource.Properties as unknown as TableProperties;
      return [id, { ...resource, Properties: withoutIndex(table) }] as const;
    });
    return [stack, { ...template, Resources: Object.fromEntries(resources) }] as const;
  });
  return withTemplates(kept, Object.fromEntries(templates));
}
