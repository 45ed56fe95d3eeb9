import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** Every TypeScript file below a top-level folder, as absolute paths. */
export function sourceFiles(folder: string): readonly string[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(path, name));
}

/** Folders of what is shipped. */
const shipped = [
  'bin',
  'lib',
  'contract',
  'core',
  'adapters',
  'lambda',
  'cli',
  'portal',
  'verifier',
];

/** Every file that is shipped, as absolute paths; not what is built of them. */
export function shippedFiles(): readonly string[] {
  return shipped
    .flatMap(sourceFiles)
    .filter((file) => !/\/(?:dist|node_modules)\/|\.d\.ts$/.test(file));
}

/** Imports and re-exports at the start of a line, and dynamic imports; not words in a text. */
const importPattern =
  /^import\b[^'"]*'([^']+)'|^export\b[^'"=(]*\bfrom\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm;

/** What a file names in its imports, those of types and those at run time included. */
export function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(importPattern)].map(
    ([, imported, exported, dynamic]) => imported ?? exported ?? dynamic ?? '',
  );
}
