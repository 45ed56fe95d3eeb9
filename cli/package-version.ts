import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** From cli/ as TypeScript, and from dist/cli/ as built. */
const candidates = ['..', '../..'].map((path) => join(import.meta.dirname, path, 'package.json'));

export function packageVersion(): string {
  const path = candidates.find(existsSync);
  if (path === undefined) return 'unknown';
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version?: string };
  return version ?? 'unknown';
}
