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

/**
 * The environment that `npm start` wrote, in the current folder or a parent folder.
 *
 * @throws {UsageError} if there is none.
 */
export function readLocalEnvironment(cwd: string): Readonly<Record<string, string | undefined>> {
  const path = ancestors(cwd)
    .map((folder) => join(folder, demoEnvironment))
    .find(existsSync);
  if (path === undefined) {
    throw new UsageError(
      `--local: found no ${demoEnvironment} in ${cwd} or above it; start the local run there with npm start`,
    );
  }
  return parseDemoEnvironment(readFileSync(path, 'utf8'));
}
