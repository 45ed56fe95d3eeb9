import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runOrThrow } from '../support/run-command.ts';
import { packages, root } from './packages.ts';
import { findRepository, type Repository } from './repository.ts';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly engines: { readonly node: string };
  readonly files?: readonly string[];
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly repository?: Repository | undefined;
}

/** A package as it is published. */
export interface StagedPackage {
  readonly manifest: Manifest;
  readonly folder: string;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The file that `npm pack` writes. */
export function archiveOf({ name, version }: Pick<Manifest, 'name' | 'version'>): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}

/** The files that the entries and commands of a package are. */
function targetsOf({ exports, bin }: Pick<Manifest, 'exports' | 'bin'>): readonly string[] {
  const values = (value: unknown): readonly string[] =>
    typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(values);
  return [...new Set([...values(exports), ...values(bin)])];
}

/** @throws {Error} if an entry or a command of a package has no file. */
export function checkTargets({ manifest, folder }: StagedPackage): void {
  const missing = targetsOf(manifest).filter((target) => !existsSync(join(folder, target)));
  if (missing.length === 0) return;
  throw new Error(`${manifest.name} lacks ${missing.join(', ')}; run "npm run build" first`);
}

async function stage(source: string, target: string): Promise<StagedPackage> {
  const { private: _, ...own } = readManifest(source);
  const manifest = { ...own, repository: findRepository(root, relative(root, source)) };
  const folder = join(target, manifest.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The files that npm would publish, and no others.
  const flags = ['--silent', '--workspaces=false', '--pack-destination', target];
  await runOrThrow(['npm', 'pack', ...flags], { cwd: source });
  const archive = join(target, archiveOf(manifest));
  await runOrThrow(['tar', '-xzf', archive, '-C', folder, '--strip-components=1'], { cwd: target });
  rmSync(archive);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  checkTargets({ manifest, folder });
  return { manifest, folder };
}

/**
 * Copies what `npm run build` made of each package into `target`, one folder for each name, in the
 * form that is published. In the repository the packages are private, so no command publishes them
 * by mistake; the copies are not.
 *
 * @throws {Error} if a package lacks what its `exports` or `bin` name.
 */
export async function stagePackages(target: string): Promise<readonly StagedPackage[]> {
  const staged: StagedPackage[] = [];
  for (const { folder } of packages) staged.push(await stage(join(root, folder), target));
  return staged;
}
