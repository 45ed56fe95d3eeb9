import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { root } from '../markdown.ts';
import { type AssemblyFiles, readAssembly } from './assembly-files.ts';

/** A commit of this repository, built in a folder of its own. */
export interface EarlierVersion {
  /** The commit, shortened. */
  readonly commit: string;
  /** Its files, with its packages. */
  readonly source: string;
  /** What it deploys of a config. */
  readonly synthesise: (name: string, config: DeploymentConfigInput) => AssemblyFiles;
}

const modules = 'node_modules';
const bin = join(root, modules, '.bin');

/** Commands run on the Node of this project, which the folder of the commit may not have yet. */
function run(cwd: string, command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) },
  });
}

/** The packages from a registry that a lock file names. */
function readLockedPackages(folder: string): string {
  const text = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, object>> };
  return JSON.stringify(Object.entries(packages).filter(([path]) => path.startsWith(modules)));
}

/** The packages of the commit: those of this folder if the lock files name the same. */
function installPackages(source: string): void {
  if (readLockedPackages(root) === readLockedPackages(source)) {
    return symlinkSync(join(root, modules), join(source, modules));
  }
  run(source, 'npm', 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund');
}

/**
 * Builds a commit: its files, its packages and its function bundles.
 *
 * @param ref names the commit, as for `git rev-parse`.
 * @throws {Error} if the repository does not have it.
 */
export function buildEarlierVersion(ref: string, folder: string): EarlierVersion {
  const commit = run(root, 'git', 'rev-parse', '--short=8', '--verify', `${ref}^{commit}`).trim();
  const source = join(folder, `version-${commit}`);
  const archive = `${source}.tar`;
  mkdirSync(source, { recursive: true });
  run(root, 'git', 'archive', '--output', archive, commit);
  run(source, 'tar', '--extract', '--file', archive);
  installPackages(source);
  const cdk = JSON.parse(readFileSync(join(source, 'cdk.json'), 'utf8')) as {
    readonly build: string;
  };
  const [program = '', ...args] = cdk.build.split(' ');
  run(source, program, ...args);
  return {
    commit,
    source,
    synthesise: (name, config) => {
      const outdir = join(source, `${name}.out`);
      const configPath = join(source, `${name}.config.json`);
      writeFileSync(configPath, JSON.stringify(config));
      run(source, 'cdk', 'synth', '--quiet', '--output', outdir, '-c', `config=${configPath}`);
      return readAssembly(outdir);
    },
  };
}
