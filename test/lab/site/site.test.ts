import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findBrokenLinks, findFile } from '../../../lab/site/check-links.ts';
import { parts } from '../../../lab/site/contents.ts';
import { folderOf, sitePath } from '../../../lab/site/stage-pages.ts';
import { root } from '../../../lab/support/markdown.ts';

const folder = mkdtempSync(join(tmpdir(), 'site-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

it('names links and anchors that lead nowhere, and what comes from other hosts', () => {
  write('index.html', '<h1 id="top"><a href="#top">#</a><a href="/b/a.html#x">a</a>');
  write('a.html', '<h2 id="x"><a href="/b/none.html">n</a><a href="/b/#down">d</a>');
  write('c.html', '<a href="https://a.test/">a</a><script src="https://a.test/b.js"></script>');
  expect(findBrokenLinks(folder, '/b/')).toEqual([
    '/b/none.html leads nowhere: a.html and 0 more pages',
    '/b/#down leads nowhere: a.html and 0 more pages',
    'https://a.test/b.js is loaded: c.html and 0 more pages',
  ]);
});

it('finds a page only where a plain static server does', () => {
  write('code/a.ts.html', '<p>');
  expect(findFile(folder, '/')).toBe(join(folder, 'index.html'));
  expect(findFile(folder, '/a.html')).toBe(join(folder, 'a.html'));
  expect(findFile(folder, '/code/a.ts')).toBeUndefined();
});

it('serves only files of its folder', () => {
  expect(findFile(folder, '/../../etc/hosts')).toBeUndefined();
});

it.each([
  ['README.md', 'index.md'],
  ['docs/README.md', 'documents.md'],
  ['docs/cost.md', 'cost.md'],
  ['docs/adr/README.md', 'adr/index.md'],
  ['packages/local/README.md', 'packages/local.md'],
  ['SECURITY.md', 'security.md'],
])('has %s at %s', (page, path) => {
  expect(sitePath(page)).toBe(path);
});

it('puts a page in one part of its contents', () => {
  expect(folderOf('docs/adr/0111-a-site-from-the-same-pages.md')).toBe('docs/adr');
  expect(folderOf('docs/faults.md')).toBe('docs');
  expect(folderOf('CHANGELOG.md')).toBe('');
});

it('names pages in its contents that are there', () => {
  const pages = parts.flatMap(({ entries }) => entries.map(([, page]) => page.split('#')[0] ?? ''));
  const isMade = (page: string) => page === 'authctl-commands.md';
  expect(pages.filter((page) => !isMade(page) && !existsSync(join(root, page)))).toEqual([]);
});
