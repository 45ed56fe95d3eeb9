import Table from 'cli-table3';
import { toPrintableLine } from '../core/printable-text.ts';

/** No lines: columns are told apart by space, and lines can be cut with standard tools. */
const noBorders = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
  ].map((name) => [name, '']),
);

const layout = {
  chars: { ...noBorders, middle: '  ' },
  style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
};

/** One value, or several with a line each. A line feed within a value does not begin a line. */
export type Cell = string | number | boolean | readonly string[] | undefined;

/** Makes a word stand out. */
export type Bold = (word: string) => string;

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

/** Rows under a head. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  bold: Bold,
): string {
  const table = new Table({ ...layout, head: head.map((title) => bold(title.toUpperCase())) });
  for (const row of rows) table.push(row.map(show));
  return toText(table.toString());
}

/** One thing: a name and a value on each line. */
export function formatFields(fields: readonly (readonly [string, Cell])[], bold: Bold): string {
  const table = new Table(layout);
  for (const [name, value] of fields) table.push([bold(name), show(value)]);
  return toText(table.toString());
}
