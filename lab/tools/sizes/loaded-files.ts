import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../../..');

/** Imports that exist when the code runs: types are erased. */
const importPattern = /^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm;

/** Everything that a function loads: files relative to the project, and packages by name. */
export function loadedBy(functionName: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    for (const [, from, bare] of readFileSync(file, 'utf8').matchAll(importPattern)) {
      const specifier = from ?? bare ?? '';
      const isLocal = specifier.startsWith('.');
      const target = isLocal ? resolve(dirname(file), specifier) : specifier;
      const name = isLocal ? relative(root, target) : specifier;
      if (seen.has(name)) continue;
      seen.add(name);
      if (isLocal) visit(target);
    }
  };
  visit(join(root, 'lambda', functionName, 'handler.ts'));
  return seen;
}
