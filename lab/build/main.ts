import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { type BuildOptions, buildSync } from 'esbuild';
import { buildPackages, root } from './packages.ts';

const dist = join(root, 'dist');

/** The functions: each folder of lambda/ that has a handler. */
export function lambdaFunctions(): readonly string[] {
  const folder = join(root, 'lambda');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, 'handler.ts')));
}

/** Files that a function loads when it needs them, next to `index.js`. */
const lambdaFiles: Readonly<Record<string, readonly string[]>> = { token: ['federated', 'proofs'] };

/**
 * Bundles of functions, each in a folder of its name. One call makes all, so that esbuild reads
 * what they share once. CommonJS, because an ESM import of node:http costs 22 ms of a cold start
 * (nodejs/node#57649); node24 is the Lambda runtime's Node.
 */
export function lambdaBuildOptions(names: readonly string[], outdir: string): BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: names.flatMap((name) => [
      { in: join('lambda', name, 'handler.ts'), out: join(name, 'index') },
      ...(lambdaFiles[name] ?? []).map((file) => ({
        in: join('lambda', name, `${file}.ts`),
        out: join(name, file),
      })),
    ]),
    outdir,
    bundle: true,
    external: Object.values(lambdaFiles)
      .flat()
      .map((file) => `./${file}.js`),
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    // The portal reads its assets next to its own file.
    define: { 'import.meta.dirname': '__dirname' },
    minify: true,
    keepNames: false,
    treeShaking: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    mainFields: ['module', 'main'],
    // What the SDK imports when it runs becomes a `require`: as an ESM import, node:http also loads
    // Node's fetch.
    supported: { 'dynamic-import': false },
    alias: {
      // The SDK's clients find credentials as a function has them, and bundle no other way.
      '@aws-sdk/credential-provider-node': './lambda/shared/sdk-credentials.ts',
      '@smithy/core/event-streams': './lambda/shared/sdk-event-streams.ts',
    },
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
  cpSync(join(root, 'portal/assets'), join(outdir, 'portal/assets'), { recursive: true });
}

if (import.meta.main) {
  const what = new Argument('[what]', 'only the bundles of the functions').choices(['lambda']);
  const [only] = new Command('npm run build --').addArgument(what).parse().args;
  const bundlesOnly = only !== undefined;
  process.stdout.write('Building the functions and the packages: 5 to 30 seconds.\n');
  const bundles = join(dist, 'lambda');
  rmSync(bundlesOnly ? bundles : dist, { recursive: true, force: true });
  mkdirSync(bundles, { recursive: true });
  buildLambdas(bundles);
  if (!bundlesOnly) buildPackages();
}
