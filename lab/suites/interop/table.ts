import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const documentPath = join(import.meta.dirname, '../../../docs/interop.md');

/** One table of docs/interop.md, between two comments with its name. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** First cells of all rows, in order. */
  readonly titles: readonly string[];
}

export function formatRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function between(name: string): RegExp {
  return new RegExp(`(<!-- ${name} -->\\n)([\\s\\S]*?)(\\n<!-- end of ${name} -->)`);
}

/** Lines of the rows that the document has. */
export function documentRows({ name }: Table, page: string): readonly string[] {
  const [, , text = ''] = between(name).exec(page) ?? [];
  return text.split('\n').slice(2);
}

/** What was not run keeps the row of its last run with the same version. */
export function writeTable(table: Table, measured: ReadonlyMap<string, string>): void {
  const page = readFileSync(documentPath, 'utf8');
  const earlier = documentRows(table, page);
  const rows = table.titles.flatMap(
    (title) => measured.get(title) ?? earlier.filter((line) => line.startsWith(`| ${title} |`)),
  );
  const lines = [formatRow(table.columns), `|${table.columns.map(() => '---|').join('')}`, ...rows];
  const write = (_: string, start: string, _old: string, end: string) =>
    start + lines.join('\n') + end;
  writeFileSync(documentPath, page.replace(between(table.name), write));
}
