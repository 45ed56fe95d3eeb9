import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'verifier');
const dist = join(folder, 'dist');

/** Code of other packages is in the bundles, but for AWS's one for profiles: it is optional. */
const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  // The oldest Node that the package supports.
  target: 'node22',
  format: 'esm',
  // Comments with licences are in THIRD-PARTY-LICENSES.
  legalComments: 'none',
  mainFields: ['module', 'main'],
  external: ['@aws-sdk/credential-provider-node'],
  logLevel: 'warning',
};

/** The library. What its entries share is one file, so that each class exists once. */
export const verifierBuildOptions: BuildOptions = {
  ...common,
  entryPoints: {
    verifier: 'verifier/verifier.ts',
    'dynamodb-lookups': 'verifier/dynamodb-lookups.ts',
    express: 'verifier/express.ts',
    fastify: 'verifier/fastify.ts',
    hono: 'verifier/hono.ts',
  },
  splitting: true,
  outdir: dist,
};

/** The forward-auth command as one file, which a container can have without anything else. */
export const forwardAuthBuildOptions: BuildOptions = {
  ...common,
  entryPoints: { 'forward-auth': 'verifier/forward-auth/main.ts' },
  minify: true,
  outdir: dist,
};

/** `node_modules/@scope/name` of the files that a bundle has of other packages. */
function packagesIn(inputs: readonly string[]): readonly string[] {
  const names = inputs.map((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}

/** The licences of the packages whose code is in the bundles, as they ask for. */
function writeLicences(inputs: readonly string[]): void {
  const texts = packagesIn(inputs).map((name) => {
    const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: join(root, name) });
    if (file === undefined) throw new Error(`${name} has no licence file`);
    const text = readFileSync(join(root, name, file), 'utf8').trim();
    return `${name.replace('node_modules/', '')}\n\n${text}\n`;
  });
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES'), texts.join(`\n${'-'.repeat(80)}\n\n`));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

const typeImport = /(?:from|import\()\s*['"](\.[^'"]+)['"]/g;

/** Keeps the declarations that an entry's declarations lead to. */
function pruneTypes(): void {
  const types = join(dist, 'types');
  const wanted = new Set<string>();
  const visit = (path: string): void => {
    const file = path.replace(/\.(?:ts|js)$/, '.d.ts');
    if (wanted.has(file) || !existsSync(file)) return;
    wanted.add(file);
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(typeImport)) {
      visit(resolve(dirname(file), specifier));
    }
  };
  for (const entry of Object.values(verifierBuildOptions.entryPoints as Record<string, string>)) {
    visit(join(types, entry));
  }
  for (const name of globSync('**/*.d.ts', { cwd: types })) {
    if (!wanted.has(join(types, name))) rmSync(join(types, name));
  }
}

/** Builds the package of the verifier: `verifier/dist`. */
export function buildVerifierPackage(): void {
  rmSync(dist, { recursive: true, force: true });
  const results = [verifierBuildOptions, forwardAuthBuildOptions].map((options) =>
    buildSync({ ...options, metafile: true }),
  );
  chmodSync(join(dist, 'forward-auth.js'), 0o755);
  writeLicences(results.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {})));
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'verifier'], {
    cwd: root,
    stdio: 'inherit',
  });
  pruneTypes();
}
