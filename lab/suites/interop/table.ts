import { formatTable, readDocument, readPart, writeParts } from '../../support/generated-parts.ts';

const document = 'interop.md';

/** One generated table of docs/interop.md. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** First cells of all rows, in order. */
  readonly titles: readonly string[];
}

/** Lines of the rows that the document has. */
export function documentRows({ name }: Table): readonly string[] {
  return readPart(readDocument(document), name).split('\n').slice(2);
}

/** What was not run keeps the row of its last run with the same version. */
export function writeTable(table: Table, measured: ReadonlyMap<string, string>): void {
  const earlier = documentRows(table);
  const rows = table.titles.flatMap(
    (title) => measured.get(title) ?? earlier.filter((line) => line.startsWith(`| ${title} |`)),
  );
  writeParts([document], { [table.name]: [formatTable([table.columns]), ...rows].join('\n') });
}
