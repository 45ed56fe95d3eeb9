import { stripVTControlCharacters } from 'node:util';
import Table, { type TableConstructorOptions } from 'cli-table3';
import { toPrintableLine } from '../core/printable-text.ts';

/** No borders: spaces separate columns, and standard tools can process the lines. */
const noBorders = Object.keys(new Table().options.chars).map((name) => [name, ''] as const);

const layout = {
  chars: { ...Object.fromEntries(noBorders), middle: '  ' },
  style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
};

/** One value, or several with one line each. A line feed within a value does not begin a line. */
export type Cell = string | number | boolean | readonly string[] | undefined;

/** A name and a value on one line. */
export type Field = readonly [name: string, value: Cell];

/** Highlights a word. */
type Bold = (word: string) => string;

function show(cell: Cell): string {
  if (cell === undefined || cell === '') return '-';
  if (typeof cell === 'object') return cell.map(toPrintableLine).join('\n') || '-';
  return typeof cell === 'boolean' ? (cell ? 'yes' : 'no') : toPrintableLine(String(cell));
}

function toText(table: string): string {
  return table
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/**
 * From here on, characters may take two columns. All count as wide, so no width is underestimated.
 */
const firstWide = 0x11_00;

/** The most columns of a terminal that the longest line can take. */
function widthOf(text: string): number {
  const widths = text
    .split('\n')
    .map((line) =>
      Array.from(stripVTControlCharacters(line), (character) =>
        (character.codePointAt(0) ?? 0) < firstWide ? 1 : 2,
      ).reduce((sum, width) => sum + width, 0),
    );
  return Math.max(0, ...widths);
}

/** The library's time grows with the square of the rows, so it gets no more of them at once. */
const maxRowsAtOnce = 200;

/** Rows under a head. */
function formatTable(
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
  bold: Bold,
): string {
  const head = titles.map((title) => bold(title.toUpperCase()));
  const cells = rows.map((row) => row.map(show));
  if (cells.length <= maxRowsAtOnce) return formatRows({ head }, cells);
  const colWidths = head.map((title, column) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), widthOf(title)),
  );
  const parts: string[] = [];
  for (let at = 0; at < cells.length; at += maxRowsAtOnce) {
    const options = { colWidths, ...(at === 0 && { head }) };
    parts.push(formatRows(options, cells.slice(at, at + maxRowsAtOnce)));
  }
  return parts.join('\n');
}

function formatRows(
  options: Pick<TableConstructorOptions, 'head' | 'colWidths'>,
  rows: readonly string[][],
): string {
  const table = new Table({ ...layout, ...options });
  table.push(...rows);
  return toText(table.toString());
}

const columnGap = 2;

/** Narrower values are not useful. */
const leastValueWidth = 20;

/** A block for each row: a name and a value on each line, longer values on several. */
function formatBlocks(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  bold: Bold,
  width: number,
): string {
  const labelWidth = widthOf(head.join('\n'));
  const valueWidth = Math.max(leastValueWidth, width - labelWidth - columnGap);
  const blocks = rows.map((row) => {
    const table = new Table({
      ...layout,
      colWidths: [labelWidth, valueWidth],
      wordWrap: true,
      wrapOnWordBoundary: false,
    });
    head.forEach((title, index) => table.push([title.toUpperCase(), show(row[index])]));
    // Made bold here, because the library cuts style sequences when it wraps.
    return toText(table.toString())
      .split('\n')
      .map((line) => {
        const label = line.slice(0, labelWidth).trimEnd();
        return label === '' ? line : bold(label) + line.slice(label.length);
      })
      .join('\n');
  });
  return blocks.join('\n\n');
}

/**
 * Rows under a header or, if the terminal is too narrow, a block for each row.
 *
 * @param width columns of the terminal. Without it, there is no bound.
 */
export function formatTableWithin(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  bold: Bold,
  width: number | undefined,
): string {
  const table = formatTable(head, rows, bold);
  return width === undefined || widthOf(table) <= width
    ? table
    : formatBlocks(head, rows, bold, width);
}

/** One thing: a name and a value on each line. */
export function formatFields(fields: readonly Field[], bold: Bold): string {
  const table = new Table(layout);
  for (const [name, value] of fields) table.push([bold(name), show(value)]);
  return toText(table.toString());
}
