import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a browser loads by itself from another host. */
const loaded = /<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)="(https?:[^"]+)"/g;

const decode = (text: string) => decodeURIComponent(text.replaceAll('&amp;', '&'));

/** The file that a plain static server sends for a path of the site; undefined if there is none. */
export function findFile(folder: string, path: string): string | undefined {
  if (path.includes('..')) return undefined;
  const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : undefined;
}

/** Links and anchors of built pages that lead nowhere, and what a page loads from other hosts. */
export function findBrokenLinks(folder: string, base: string): readonly string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.html') && name !== 'api.html',
  );
  const html = new Map(
    pages.map((name) => [join(folder, name), readFileSync(join(folder, name), 'utf8')]),
  );
  const leads = (href: string, own: string) => {
    const [path = '', anchor = ''] = href.split('#');
    const file = path === '' ? own : findFile(folder, `/${path.slice(base.length)}`);
    if (file === undefined) return false;
    return anchor === '' || html.get(file)?.includes(` id="${anchor}"`) === true;
  };
  const problems = new Map<string, readonly string[]>();
  const report = (problem: string, page: string) =>
    problems.set(problem, [...(problems.get(problem) ?? []), page]);
  for (const name of pages) {
    const own = join(folder, name);
    const text = html.get(own) ?? '';
    for (const [, url] of text.matchAll(loaded)) report(`${url} is loaded`, name);
    for (const [, href = ''] of text.matchAll(/<a\b[^>]*?\bhref="([^"]+)"/g)) {
      const isOurs = !/^[a-z]+:/.test(href);
      if (isOurs && !leads(decode(href), own)) report(`${href} leads nowhere`, name);
    }
  }
  return [...problems].map(
    ([problem, [first, ...more]]) => `${problem}: ${first} and ${more.length} more pages`,
  );
}
