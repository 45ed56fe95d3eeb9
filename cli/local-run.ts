import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseDemoEnvironment } from '../contract/demo-environment.ts';
import { UsageError } from './usage-error.ts';

const demoEnvironment = join('.local', 'demo.env');

/** A folder and its parents up to the root. */
function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

type LocalEnvironment = Readonly<Record<string, string | undefined>>;

/** The environment that `npm start` wrote, in a folder or above it; undefined if there is none. */
export function findLocalEnvironment(cwd: string): LocalEnvironment | undefined {
  const path = ancestors(cwd)
    .map((folder) => join(folder, demoEnvironment))
    .find(existsSync);
  return path === undefined ? undefined : parseDemoEnvironment(readFileSync(path, 'utf8'));
}

/** @throws {UsageError} if there is none; see {@link findLocalEnvironment}. */
export function readLocalEnvironment(cwd: string): LocalEnvironment {
  const environment = findLocalEnvironment(cwd);
  if (environment !== undefined) return environment;
  throw new UsageError(
    `--local: found no ${demoEnvironment} in ${cwd} or above it; start the local run there with npm start`,
  );
}
