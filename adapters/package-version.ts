import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The paths from the sources, from a bundle in dist/, and from the compiled files below it. */
const candidates = ['..', '../..'].map((path) => join(import.meta.dirname, path, 'package.json'));

interface Manifest {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
}

/** The manifest of the package that this file is part of. */
function readManifest(): Manifest {
  const path = candidates.find(existsSync);
  return path === undefined ? {} : (JSON.parse(readFileSync(path, 'utf8')) as Manifest);
}

/** The version of the package. */
export function packageVersion(): string {
  return readManifest().version ?? 'unknown';
}

/** The oldest Node that the package promises. */
export function oldestNode(): string {
  return readManifest().engines?.node?.replace('>=', '') ?? '0';
}
