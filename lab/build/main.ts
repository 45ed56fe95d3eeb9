import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { buildVerifierPackage } from './build-verifier.ts';

const root = resolve(import.meta.dirname, '../..');
const dist = join(root, 'dist');
const verifierPackage = 'authorization-server-verifier';

/** The functions: each folder of lambda/ that has a handler. */
export function lambdaFunctions(): readonly string[] {
  const folder = join(root, 'lambda');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, 'handler.ts')));
}

/**
 * Bundles of functions, each in a folder of its name. One call makes all, so that esbuild reads
 * what they share once. CommonJS, because an ESM import of node:http costs 22 ms of a cold start
 * (nodejs/node#57649); node24 is the Lambda runtime's Node.
 */
export function lambdaBuildOptions(names: readonly string[], outdir: string): BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: Object.fromEntries(
      names.map((name) => [join(name, 'index'), join('lambda', name, 'handler.ts')]),
    ),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    minify: true,
    keepNames: false,
    treeShaking: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    mainFields: ['module', 'main'],
    logLevel: 'warning',
  };
}

/** Every function's bundle, each in a folder of its name. */
export function buildLambdas(outdir: string): void {
  const names = lambdaFunctions();
  buildSync(lambdaBuildOptions(names, outdir));
  for (const name of names) {
    // The folder is CommonJS wherever it is unpacked, also below this package's "type": "module".
    writeFileSync(join(outdir, name, 'package.json'), '{"type":"commonjs"}\n');
  }
}

/** What this package takes from the verifier's package under its own name, by entry. */
const reExports = { verifier: '', 'dynamodb-lookups': '/dynamodb-lookups' };

/** The verifier is one package, so that a service which has both knows each error class once. */
function writeReExports(): void {
  for (const [name, entry] of Object.entries(reExports)) {
    const text = `export * from '${verifierPackage}${entry}';\n`;
    writeFileSync(join(dist, `${name}.js`), text);
    writeFileSync(join(dist, `${name}.d.ts`), text);
  }
  const command = join(dist, 'forward-auth.js');
  writeFileSync(command, `#!/usr/bin/env node\nimport '${verifierPackage}/forward-auth';\n`);
  chmodSync(command, 0o755);
}

/**
 * authctl in a few files, because Node spends more time on finding and reading 170 modules than on
 * running them. What only some commands need stays in files of its own, loaded by `import()`.
 */
const authctlBuildOptions: BuildOptions = {
  absWorkingDir: root,
  entryPoints: { authctl: 'cli/authctl.ts' },
  outdir: join(dist, 'cli'),
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  // The oldest Node that the package supports.
  target: 'node22',
  format: 'esm',
  logLevel: 'warning',
};

function buildAuthctl(): void {
  buildSync(authctlBuildOptions);
  // The portal's code reads its assets next to its own file.
  cpSync(join(root, 'portal/assets'), join(dist, 'cli/assets'), { recursive: true });
  // npm makes it executable when it installs the package, but not in a clone.
  chmodSync(join(dist, 'cli/authctl.js'), 0o755);
}

function buildLibrary(): void {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  cpSync(join(root, 'portal/assets'), join(dist, 'portal/assets'), { recursive: true });
}

/** `node lab/build/main.ts` builds everything, `node lab/build/main.ts lambda` only the bundles. */
if (import.meta.main) {
  const bundlesOnly = process.argv[2] === 'lambda';
  const bundles = join(dist, 'lambda');
  rmSync(bundlesOnly ? bundles : dist, { recursive: true, force: true });
  mkdirSync(bundles, { recursive: true });
  buildLambdas(bundles);
  if (!bundlesOnly) {
    buildLibrary();
    buildAuthctl();
    buildVerifierPackage();
    writeReExports();
  }
}
