import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, it } from 'vitest';
import { sharesModules } from '../../vitest.config.ts';
import { root, sourceFiles } from './source-files.ts';

it('only a test with modules of its own replaces one: else it depends on the file before', () => {
  const replaces = sourceFiles('test').filter((file) =>
    /^vi\.mock\(/m.test(readFileSync(file, 'utf8')),
  );
  const tests = replaces
    .map((file) => relative(root, file))
    .filter((file) => file.endsWith('.test.ts'));
  expect(tests.length).toBeGreaterThan(5);
  expect(tests.filter(sharesModules)).toEqual([]);
});
