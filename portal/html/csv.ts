/** A cell of a table in CSV. */
export type Cell = string | number | undefined;

/**
 * What spreadsheets take for the beginning of a formula, also after spaces and in full width
 * characters: at the beginning of a cell, and after what other spreadsheets take for its end,
 * regardless of the quotes.
 */
const formulaStart = /(^|[;\t\r\n])(?=[\s\p{Cc}]*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20])/gu;

/**
 * One cell (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in
 * front, which the spreadsheet hides.
 */
function cell(value: Cell): string {
  const text = String(value ?? '');
  const safe = typeof value === 'string' ? text.replaceAll(formulaStart, "$1'") : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** By this mark, spreadsheets know that the text is UTF-8. */
const byteOrderMark = '\uFEFF';

/** A table as CSV, with a line of names. */
export function formatCsv(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [names, ...rows].map((cells) => cells.map(cell).join(','));
  return `${byteOrderMark}${lines.join('\r\n')}\r\n`;
}
