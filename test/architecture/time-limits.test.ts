import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, sourceFiles } from './source-files.ts';

/** What ends no call for certain, why, and the files that may use it nevertheless. */
const unreliable: readonly {
  readonly name: string;
  readonly pattern: RegExp;
  readonly files: readonly string[];
}[] = [
  // Versions of Node from 22 to 26 each lose some aborts of it (nodejs/node 57736 and 65995).
  { name: 'AbortSignal.any', pattern: /AbortSignal\.any\b/, files: [] },
  {
    name: 'AbortSignal.timeout',
    pattern: /AbortSignal\.timeout\b/,
    // Only for code that listens to the signal itself.
    files: ['adapters/deadline.ts'],
  },
  {
    // Its signal is lost while it reads a body (nodejs/undici 3644).
    name: 'the global fetch',
    pattern: /(?<![.\w])fetch\(|globalThis\.fetch/,
    files: [],
  },
];

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

describe('a limit on the time of a call', () => {
  const files = ['adapters', 'cli', 'core', 'lambda', 'lib', 'portal', 'verifier'].flatMap(
    sourceFiles,
  );

  it.each(unreliable)('is never $name', ({ pattern, files: allowed }) => {
    const using = files
      .filter((file) => pattern.test(withoutComments(readFileSync(file, 'utf8'))))
      .map((file) => relative(root, file));
    expect(using.toSorted()).toEqual(allowed);
  });
});
