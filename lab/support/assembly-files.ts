import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Template } from './template-changes/template.ts';

/** A cloud assembly: texts by their path in its folder. The assets have no source maps. */
export type AssemblyFiles = Readonly<Record<string, string>>;

const templateExtension = '.template.json';

/** What `cdk deploy` reads. Metadata, the tree of constructs and source maps are not. */
function isDeployed(path: string): boolean {
  return /^(cdk\.out|manifest\.json|[^/]+\.(assets|template)\.json|asset\.[^/]+\/.+)$/.test(path);
}

/** A manifest that names no file that is left out. */
function withoutMetadata(path: string, text: string): string {
  if (path !== 'manifest.json') return text;
  const isMetadata = (key: string) => key === 'additionalMetadataFile' || key === 'metadata';
  return JSON.stringify(
    JSON.parse(text, (key, value: unknown) => (isMetadata(key) ? undefined : value)),
  );
}

/** Reads the cloud assembly in a folder. */
export function readAssembly(outdir: string): AssemblyFiles {
  const paths = (readdirSync(outdir, { recursive: true }) as string[])
    .filter((path) => isDeployed(path) && !path.endsWith('.map'))
    .filter((path) => statSync(join(outdir, path)).isFile());
  return Object.fromEntries(
    paths.map((path) => [path, withoutMetadata(path, readFileSync(join(outdir, path), 'utf8'))]),
  );
}

/** Templates of an assembly by stack. */
export function templatesOf(files: AssemblyFiles): Readonly<Record<string, Template>> {
  const templates = Object.entries(files).filter(([path]) => path.endsWith(templateExtension));
  return Object.fromEntries(
    templates.map(([path, text]) => [
      basename(path, templateExtension),
      JSON.parse(text) as Template,
    ]),
  );
}

/** Writes a cloud assembly into a folder, for `cdk deploy --app`. */
export function writeAssembly(files: AssemblyFiles, outdir: string): void {
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
    Replicas: table.Replicas?.map((replica) => ({ ...replica, GlobalSecondaryIndexes: undefined })),
  };
}

/**
 * Templates in place of those of an assembly. CDK keeps a template in S3 by its hash, and uploads
 * nothing under a name that exists: each of them needs a name of its own.
 */
function withTemplates(
  files: AssemblyFiles,
  templates: Readonly<Record<string, Template>>,
): AssemblyFiles {
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
  return changed;
}

/** The assembly as if its version had no index yet: an update then adds what it has. */
export function withoutIndexes(files: AssemblyFiles): AssemblyFiles {
  const templates = Object.entries(templatesOf(files)).map(([stack, template]) => {
    const resources = Object.entries(template.Resources).map(([id, resource]) => {
      const hasIndex = resource.Properties?.['GlobalSecondaryIndexes'] !== undefined;
      if (!hasIndex) return [id, resource] as const;
      const table = resource.Properties as unknown as TableProperties;
      return [id, { ...resource, Properties: withoutIndex(table) }] as const;
    });
    return [stack, { ...template, Resources: Object.fromEntries(resources) }] as const;
  });
  return withTemplates(files, Object.fromEntries(templates));
}
