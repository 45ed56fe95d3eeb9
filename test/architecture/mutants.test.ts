import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutants } from '../../lab/suites/mutation/mutants.ts';
import mutation from '../../lab/suites/mutation/vitest.config.ts';
import { root } from './source-files.ts';

describe('the mutants', () => {
  // They are run by hand, and must not fall behind the code in between.
  it.each(mutants)('can be made of the code as it is: $name', ({ edits }) => {
    for (const { file, find, replace } of edits) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(text.split(find).length - 1, `${file}: ${find}`).toBe(1);
      expect(replace).not.toBe(find);
    }
  });

  const patterns = (mutation.test?.include ?? []).flatMap((pattern) => {
    const [braces, names = ''] = /\{(.*)\}/.exec(pattern) ?? [];
    return braces === undefined
      ? [pattern]
      : names.split(',').map((name) => pattern.replace(braces, name));
  });
  // A pattern that matches nothing is passed over in silence.
  it.each(patterns)('are tried by tests that exist: %s', (pattern) => {
    expect(globSync(pattern, { cwd: root })).not.toEqual([]);
  });
});
