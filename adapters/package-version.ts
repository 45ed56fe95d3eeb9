import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The paths from the sources, from a bundle in dist/, and from the compiled files below it. */
const candidates = ['..', '../..'].map((path) => join(import.meta.dirname, path, 'package.json'));

/** The version of the package that this file is part of. */
export function packageVersion(): string {
  const path = candidates.find(existsSync);
  if (path === undefined) return 'unknown';
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string };
  return version;
}
