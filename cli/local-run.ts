import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { UsageError } from './usage-error.ts';

const demoEnvironment = join('.local', 'demo.env');

/** Every folder from one up to the root. */
function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** This file's project: a clone, whether it runs from there as TypeScript or as built. */
const projectFolder = resolve(import.meta.dirname, '..', '..');

/**
 * The environment that `npm start` wrote: of the folder where the command runs or of one above
 * it, else of the clone that the command itself is of.
 *
 * @throws {UsageError} where there is none.
 */
export function readLocalEnvironment(cwd: string): Readonly<Record<string, string | undefined>> {
  const folders = [...ancestors(cwd), resolve(import.meta.dirname, '..'), projectFolder];
  const path = folders.map((folder) => join(folder, demoEnvironment)).find(existsSync);
  if (path === undefined) {
    throw new UsageError(
      `--local: found no ${demoEnvironment} in ${cwd} or above it; start the local run with npm start`,
    );
  }
  return parseEnv(readFileSync(path, 'utf8'));
}
