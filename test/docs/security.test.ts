import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const [security = '', asvsPage = ''] = ['SECURITY.md', 'docs/asvs.md'].map((page) =>
  readFileSync(join(root, page), 'utf8'),
);
const text = [security, asvsPage].join('\n');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** The rows of the table below a heading. */
const rows = (page: string, heading: string) =>
  (page.split(`# ${heading}`)[1] ?? '')
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => /^\| (?!---)/.test(line))
    .slice(1)
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| |\|$/g, '').trim())) ?? [];

/** A file name without a folder in backticks is in the folder of the one before it. */
function filesIn(line: string): readonly string[] {
  let folder = '';
  return [...line.matchAll(/`([\w./-]+\.(?:ts|md|yml|svg))`/g)].map(([, name = '']) => {
    const path = name.includes('/') ? name : join(folder, name);
    folder = dirname(path);
    return path;
  });
}

describe('SECURITY.md and its pages', () => {
  it('is short: what someone reads who has ten minutes', () => {
    expect(security.split(/\s+/).length).toBeLessThanOrEqual(3200);
  });

  it('names files that exist', () => {
    const files = text.split('\n').flatMap(filesIn);
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names scripts that exist', () => {
    const names = [...text.matchAll(/`npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it('answers every row of ASVS V9 and V10', () => {
    const answers = [
      ...rows(asvsPage, 'V9 Self-contained tokens'),
      ...rows(asvsPage, 'V10 OAuth and OIDC'),
    ];
    expect(answers.length).toBeGreaterThan(35);
    for (const [row, decision = '', reason = ''] of answers) {
      expect(row).toMatch(/^(?:9|10)\.\d\.\d/);
      expect(['met', 'not met', 'n/a', "client's"]).toContain(decision);
      expect(reason.length).toBeGreaterThan(5);
    }
  });
});
