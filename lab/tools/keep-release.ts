import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { type BuildOptions, buildSync } from 'esbuild';
import type { DeploymentConfigInput } from '../../contract/deployment-config.ts';
import { signingKeyPolicy } from '../ministack/proof.ts';
import { portalConfig } from '../support/portal-config.ts';
import { type KeptDeployment, writeRelease } from '../support/releases/kept-release.ts';

const commits = new Command('node lab/tools/keep-release.ts')
  .description(
    'Keeps what a release is: templates and function bundles of a commit, its authorizer, authctl, verifier and forward-auth, built with its own lock file. CONTRIBUTING.md says when to run this.',
  )
  .argument('<commit...>')
  .parse().args;

const root = resolve(import.meta.dirname, '../..');

function run(cwd: string, command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8')) as unknown;
}

/** The files of a commit, with its dependencies. */
function checkOut(commit: string, source: string): void {
  const archive = `${source}.tar`;
  run(root, 'git', 'archive', '--output', archive, commit);
  mkdirSync(source);
  run(source, 'tar', '--extract', '--file', archive);
  run(source, 'npm', 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund');
}

/** The example configs of the release, one region with every option of the three, and a portal. */
function configsOf(source: string): Readonly<Record<string, DeploymentConfigInput>> {
  const read = (name: string) =>
    readJson(join(source, 'config', `${name}.json`)) as DeploymentConfigInput;
  const threeRegions = read('three-regions');
  const [[home, region] = ['', undefined]] = Object.entries(threeRegions.regions);
  return {
    'single-region': read('single-region'),
    'three-regions': threeRegions,
    // The suite `redeploy` deploys this one.
    'one-region': { ...threeRegions, regions: { [home]: region }, signingKeyPolicy },
    'with-portal': { ...read('single-region'), portal: portalConfig },
  };
}

/** What `cdk deploy` reads. Metadata, the tree of constructs and source maps are not. */
function isDeployed(path: string): boolean {
  return /^(cdk\.out|manifest\.json|[^/]+\.(assets|template)\.json|asset\.[^/]+\/.+)$/.test(path);
}

/** JSON without blanks, and a manifest that names no file that is left out. */
function shorten(path: string, text: string): string {
  if (!path.endsWith('.json') || path.includes('/')) return text;
  const withoutMetadata = (key: string, value: unknown) =>
    key === 'additionalMetadataFile' || key === 'metadata' ? undefined : value;
  return JSON.stringify(
    JSON.parse(text, path === 'manifest.json' ? withoutMetadata : undefined) as unknown,
  );
}

function readAssembly(outdir: string): Readonly<Record<string, string>> {
  const paths = (readdirSync(outdir, { recursive: true }) as string[])
    .filter((path) => statSync(join(outdir, path)).isFile() && !path.endsWith('.map'))
    .filter(isDeployed)
    .toSorted();
  return Object.fromEntries(
    paths.map((path) => [path, shorten(path, readFileSync(join(outdir, path), 'utf8'))]),
  );
}

function synthesise(source: string, name: string, config: DeploymentConfigInput): KeptDeployment {
  const configPath = join(source, `${name}.kept.json`);
  const outdir = join(source, `${name}.out`);
  writeFileSync(configPath, JSON.stringify(config));
  const options = ['--quiet', '--output', outdir, '-c', `config=${configPath}`];
  run(source, 'node_modules/.bin/cdk', 'synth', ...options);
  return { config, files: readAssembly(outdir) };
}

/** A program or a library in one file, without AWS's SDK. */
function bundle(source: string, entry: BuildOptions): string {
  const { outputFiles } = buildSync({
    ...entry,
    absWorkingDir: source,
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    minify: true,
    legalComments: 'none',
    external: ['@aws-sdk/*', '@smithy/*'],
    // Dependencies that are CommonJS.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outputFiles?.[0]?.text ?? '';
}

/** What operators and platforms use until they install another. */
function readPrograms(source: string) {
  const contents = ['verifier', 'dynamodb-lookups']
    .map((name) => `export * from './verifier/${name}.ts';`)
    .join('\n');
  return {
    authctl: bundle(source, { entryPoints: ['cli/authctl.ts'] }),
    verifier: bundle(source, { stdin: { contents, resolveDir: source, loader: 'ts' } }),
    forwardAuth: bundle(source, { entryPoints: ['verifier/forward-auth/main.ts'] }),
    // No stack of the service has it: a platform's own stack attaches it to an API.
    authorizer: readFileSync(join(source, 'dist/lambda/authorizer/index.js'), 'utf8'),
  };
}

function keepRelease(commit: string, work: string): void {
  const source = join(work, commit);
  checkOut(commit, source);
  const cdk = readJson(join(source, 'cdk.json')) as { readonly build: string };
  const [program = '', ...args] = cdk.build.split(' ');
  run(source, program, ...args);
  const deployments = Object.fromEntries(
    Object.entries(configsOf(source)).map(([name, config]) => [
      name,
      synthesise(source, name, config),
    ]),
  );
  const { version } = readJson(join(source, 'package.json')) as { readonly version: string };
  const bytes = writeRelease({ version, commit, deployments, ...readPrograms(source) });
  process.stdout.write(`${version} (${commit}): kept, ${bytes} bytes\n`);
}

using work = mkdtempDisposableSync(join(tmpdir(), 'keep-release-'));
for (const commit of commits) {
  const short = execFileSync('git', ['rev-parse', '--short=8', commit], { encoding: 'utf8' });
  keepRelease(short.trim(), work.path);
}
