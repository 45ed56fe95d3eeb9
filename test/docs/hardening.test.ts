import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-files.ts';

const text = readFileSync(join(root, 'docs/hardening.md'), 'utf8');
const rows = text.split('\n').filter((line) => /^\| (?!point \|)[^-]/.test(line));
const paths = /(?:adapters|docs|lib|test)\/[\w./-]+\.(?:ts|md)/g;

describe('docs/hardening.md', () => {
  it('names in each row a file that is there', () => {
    expect(rows.length).toBeGreaterThan(30);
    for (const row of rows) {
      const named = row.match(paths) ?? [];
      expect(named, row).not.toEqual([]);
      expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    }
  });
});
