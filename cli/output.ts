import { stripVTControlCharacters } from 'node:util';
import Table, { type TableConstructorOptions } from 'cli-table3';
import { collect } from '../core/paging.ts';
import { toPrintableLine } from '../core/printable-text.ts';
import type { CliIo } from './cli-io.ts';
import { Terminal } from './terminal.ts';

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

export interface OutputOptions {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** The result of a command in each of the three forms. */
export interface CommandResult {
  /** `--json`: one document. Undefined members are omitted. */
  readonly json: Readonly<Record<string, unknown>>;
  /** `--quiet`: only the values that a script needs. */
  readonly quiet: readonly string[];
  readonly text: string;
}

/** How the items of a list are shown. */
export interface ListForm<T> {
  readonly view: (item: T) => Readonly<Record<string, unknown>>;
  readonly id: (item: T) => string;
  readonly columns: Readonly<Record<string, (item: T) => Cell>>;
  /** Shown if there are none. */
  readonly none: string;
}

/** Writes results to stdout, and everything that is not a result to stderr. */
export class Output {
  readonly #terminal: Terminal;
  readonly #options: OutputOptions;

  constructor(io: CliIo, options: OutputOptions) {
    this.#terminal = new Terminal(io);
    this.#options = options;
  }

  print(result: CommandResult): void {
    if (this.#options.json === true) this.#write(JSON.stringify(result.json, undefined, 2));
    else if (this.#options.quiet === true) result.quiet.forEach((line) => this.#write(line));
    else if (result.text !== '') this.#write(result.text);
  }

  /** A list: `{"items": []}`, one id per line, or a table. Only one of them is made. */
  printList<T>(items: readonly T[], form: ListForm<T>): void {
    if (!this.#isForScript) return this.#writeTable(items, form);
    const list = this.#openList<T>();
    list.add(items, form);
    return list.end();
  }

  /**
   * A list that may be long. For a script, each page is written as soon as it is read, in the order
   * of the service, so a list that fails is no complete document. People get one table.
   *
   * @param form of the items of a page, or of the whole table.
   * @param order of the rows of the table.
   */
  async printPages<T>(
    pages: AsyncIterable<readonly T[]>,
    form: (items: readonly T[]) => ListForm<T>,
    order?: (a: T, b: T) => number,
  ): Promise<void> {
    if (this.#isForScript) {
      const list = this.#openList<T>();
      for await (const items of pages) list.add(items, form(items));
      return list.end();
    }
    const items = (await collect(pages)).flat();
    return this.#writeTable(order === undefined ? items : items.sort(order), form(items));
  }

  /** Rows under a header. If stdout is a terminal that is too narrow, each row becomes a block. */
  table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
    return formatTableWithin(head, rows, (word) => this.#terminal.bold(word), this.#terminal.width);
  }

  /** One item: a name and a value on each line. False and undefined are no line. */
  fields(fields: readonly (Field | false | undefined)[]): string {
    const present = fields.filter((field) => field !== false && field !== undefined);
    return formatFields(present, (word) => this.#terminal.bold(word));
  }

  /** Clears the screen, if stdout is one. */
  clear(): void {
    this.#terminal.clear();
  }

  /** Tells a person at a terminal how far a long command is. */
  progress(text: string): void {
    this.#terminal.writeProgress(`${text}\n`);
  }

  /** A remark for people. It is omitted with `--quiet` and `--json`. */
  note(text: string): void {
    if (this.#options.json !== true && this.#options.quiet !== true) this.warn(text);
  }

  /** A warning that must be read. It is shown in every output format. */
  warn(text: string): void {
    this.#terminal.writeError(`${text}\n`);
  }

  get #isForScript(): boolean {
    return this.#options.json === true || this.#options.quiet === true;
  }

  #writeTable<T>(items: readonly T[], { columns, none }: ListForm<T>): void {
    if (items.length === 0) return this.note(none);
    const cells = Object.values(columns);
    const rows = items.map((item) => cells.map((cell) => cell(item)));
    return this.#write(this.table(Object.keys(columns), rows));
  }

  /** The text is the same as that of one call of JSON.stringify, which no long list fits into. */
  #openList<T>() {
    const isJson = this.#options.json === true;
    const head = '{\n  "items": [';
    let isEmpty = true;
    return {
      add: (items: readonly T[], { view, id }: ListForm<T>): void => {
        if (!isJson) return items.map(id).forEach((line) => this.#write(line));
        for (const item of items) {
          const text = JSON.stringify(view(item), undefined, 2).replaceAll('\n', '\n    ');
          this.#terminal.writeOut(`${isEmpty ? head : ','}\n    ${text}`);
          isEmpty = false;
        }
      },
      end: (): void => {
        if (isJson) this.#write(isEmpty ? `${head}]\n}` : '\n  ]\n}');
      },
    };
  }

  #write(text: string): void {
    this.#terminal.writeOut(`${text}\n`);
  }
}
