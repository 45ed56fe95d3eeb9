import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const docs = resolve(import.meta.dirname, '../../docs');

/** A row of a table in Markdown. */
export function formatRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** A table in Markdown. The first row is its head. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  return [formatRow(head), formatRow(head.map(() => '---')), ...body.map(formatRow)].join('\n');
}

/** A table with a row for each item. @param columns what a cell has, by the head of its column. */
export function formatColumns<T>(
  items: readonly T[],
  columns: Readonly<Record<string, (item: T) => string | number>>,
): string {
  const cells = Object.values(columns);
  const rows = items.map((item) => cells.map((cell) => String(cell(item))));
  return formatTable([Object.keys(columns), ...rows]);
}

/** Where the content of a generated part begins and ends; undefined if the page has no such part. */
function findPart(page: string, name: string): readonly [from: number, to: number] | undefined {
  const begin = `<!-- begin ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(`<!-- end ${name} -->`);
  return from < 0 || to < from ? undefined : [from + begin.length, to];
}

export function readDocument(name: string): string {
  return readFileSync(resolve(docs, name), 'utf8');
}

/** What stands between the marks of a generated part; empty if there is none. */
export function readPart(page: string, name: string): string {
  const [from, to] = findPart(page, name) ?? [0, 0];
  return page.slice(from, to).trim();
}

/**
 * Replaces generated parts of pages of docs/, each in the page that has it.
 *
 * @throws {Error} if no page has such a part.
 */
export function writeParts(
  pages: readonly string[],
  parts: Readonly<Record<string, string>>,
): void {
  for (const [name, content] of Object.entries(parts)) {
    const page = pages.find((each) => findPart(readDocument(each), name) !== undefined);
    if (page === undefined) throw new Error(`${pages.join(', ')}: there is no part "${name}"`);
    const text = readDocument(page);
    const [from, to] = findPart(text, name) ?? [0, 0];
    writeFileSync(resolve(docs, page), `${text.slice(0, from)}\n\n${content}\n\n${text.slice(to)}`);
  }
}

/** The pages with the figures of benchmarks. */
export const performancePages = ['performance.md', 'performance-appendix.md'];

/** The pages with what something costs. */
export const costPages = ['cost.md', 'compare.md', '../README.md'];
