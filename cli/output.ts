import stringWidth from 'string-width';
import { collect } from '../core/paging.ts';
import { toPrintableLine } from '../core/printable-text.ts';
import type { CliIo } from './cli-io.ts';
import { Terminal } from './terminal.ts';

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

/** The most columns of a terminal that a line of a text takes. */
function widthOf(text: string): number {
  return Math.max(...text.split('\n').map((line) => stringWidth(line)));
}

/** Cells next to each other. Those of several lines make a row of several lines. */
function formatRow(cells: readonly string[], widths: readonly number[]): string {
  const lines = cells.map((cell) => cell.split('\n'));
  const height = Math.max(0, ...lines.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    lines
      .map(({ [line]: text = '' }, column) => {
        return text + ' '.repeat((widths[column] ?? 0) - stringWidth(text));
      })
      .join('  ')
      .trimEnd(),
  ).join('\n');
}

/** No borders: spaces separate columns, and standard tools can process the lines. */
function formatRows(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0),
  );
  return rows.map((row) => formatRow(row, widths)).join('\n');
}

/** A text in lines of a width, broken within words too. */
function wrap(text: string, width: number): string {
  let column = 0;
  return Array.from(text, (character) => {
    const columns = stringWidth(character);
    const isOver = column + columns > width;
    column = isOver || character === '\n' ? columns : column + columns;
    return isOver ? `\n${character}` : character;
  }).join('');
}

const columnGap = 2;

/** Narrower values are not useful. */
const leastValueWidth = 20;

/**
 * Rows under a header or, if the terminal is too narrow, a block for each row: a name and a value on
 * each line, longer values on several.
 *
 * @param width columns of the terminal. Without it, there is no bound.
 */
function formatTableWithin(
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
  bold: Bold,
  width: number | undefined,
): string {
  const head = titles.map((title) => bold(title.toUpperCase()));
  const cells = rows.map((row) => row.map(show));
  const table = formatRows([head, ...cells]);
  if (width === undefined || widthOf(table) <= width) return table;
  const valueWidth = Math.max(leastValueWidth, width - widthOf(head.join('\n')) - columnGap);
  const blocks = cells.map((row) =>
    formatRows(row.map((cell, column) => [head[column] ?? '', wrap(cell, valueWidth)])),
  );
  return blocks.join('\n\n');
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
  /** The cells of an item by the titles of their columns, which are the same for each item. */
  readonly row: (item: T) => Readonly<Record<string, Cell>>;
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
    return formatRows(present.map(([name, value]) => [this.#terminal.bold(name), show(value)]));
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

  #writeTable<T>(items: readonly T[], { row, none }: ListForm<T>): void {
    const rows = items.map(row);
    const [first] = rows;
    if (first === undefined) return this.note(none);
    return this.#write(this.table(Object.keys(first), rows.map(Object.values)));
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
