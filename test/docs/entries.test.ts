import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { packages } from '../../lab/build/packages.ts';
import { root } from '../architecture/source-files.ts';

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
const read = (path: string) => readFileSync(path, 'utf8');

/** Only `authctl` and the tests call them: they take what no package exports. */
const internal = new Set(['bindManagement', 'bindFunction']);

/** What a module exports, by name, types included. */
function exportedNames(path: string): readonly string[] {
  const { module } = parseSync(path, read(path));
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => (exportName.name === null ? [] : [exportName.name])),
  );
}

interface Declaration {
  readonly kind: string;
  readonly comment: string;
  readonly head: string;
}

/** The declaration of an exported name, in the entry or in the file that it comes from. */
function findDeclaration(path: string, name: string): Declaration {
  const text = read(path);
  const declared = new RegExp(
    `(/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?export (?:declare |async )*(function|class|interface|type|const) ${name}\\b([^\\n]*)`,
  ).exec(text);
  if (declared !== null) {
    const [, comment = '', kind = '', head = ''] = declared;
    return { kind, comment, head };
  }
  for (const [, list = '', from = ''] of text.matchAll(
    /^export (?:type )?\{([^}]*)\} from '([^']+)'/gm,
  )) {
    for (const item of list.split(',')) {
      const [own = '', as = own] = item
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      if (as === name) return findDeclaration(resolve(dirname(path), from), own);
    }
  }
  throw new Error(`${path} does not export ${name}`);
}

const entries = packages.flatMap(({ entries: sources, declarations }) =>
  [...new Set(declarations ?? Object.values(sources))].map((source) => join(root, source)),
);
const exports = entries.flatMap((path) =>
  exportedNames(path)
    .filter((name) => !internal.has(name))
    .map((name) => ({ name, path, file: path.slice(root.length + 1) })),
);

describe('what a package exports', () => {
  it('is found', () => {
    expect(exports.length).toBeGreaterThan(60);
  });

  it.each(exports)('has a comment that says what it is: $name of $file', ({ name, path }) => {
    expect(plain(findDeclaration(path, name).comment)).toMatch(/^\/\*\* .{12,}\*\/$/);
  });

  const called = exports.filter(({ name, path }) => {
    const { kind, head } = findDeclaration(path, name);
    return kind === 'function' || (kind === 'class' && !/extends \w*Error\b/.test(head));
  });

  it.each(called)('has an example that compiles: $name of $file', ({ name, path }) => {
    const { comment } = findDeclaration(path, name);
    const [, example = ''] = plain(comment.replaceAll(/^ \*\/?/gm, '')).split('@example ');
    expect(example).toContain(`${name}(`);
    expect(plain(read(join(root, 'test/docs/entry-examples.ts')))).toContain(example);
  });
});
