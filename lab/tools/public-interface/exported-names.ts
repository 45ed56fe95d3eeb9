import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

/** What a module exports, by name, types included. */
export function exportedNames(path: string): readonly string[] {
  const { module } = parseSync(path, readFileSync(path, 'utf8'));
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => (exportName.name === null ? [] : [exportName.name])),
  );
}
