import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

it('every text file is checked out with line feeds, with any settings of Git', () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'core.autocrlf=true', ...args], { cwd: root, encoding: 'utf8' });
  const lines = git('ls-files', '--eol').trim().split('\n');
  expect(lines.length).toBeGreaterThan(500);
  const others = lines.filter(
    (line) => !/^i\/(?:lf|none|-text) .*attr\/text=auto eol=lf/.test(line),
  );
  expect(others).toEqual([]);
});
