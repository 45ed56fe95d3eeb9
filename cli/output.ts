import type { CliIo } from './cli-io.ts';
import { type Cell, type Field, formatFields, formatTableWithin } from './table.ts';
import { Terminal } from './terminal.ts';

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

  /** A list: `{"items": []}`, one id per line, or a table. */
  printList<T>(
    items: readonly T[],
    form: {
      readonly view: (item: T) => Readonly<Record<string, unknown>>;
      readonly id: (item: T) => string;
      readonly columns: Readonly<Record<string, (item: T) => Cell>>;
      /** Shown if there are none. */
      readonly none: string;
    },
  ): void {
    const columns = Object.entries(form.columns);
    const rows = items.map((item) => columns.map(([, cell]) => cell(item)));
    const head = columns.map(([title]) => title);
    if (items.length === 0) this.note(form.none);
    this.print({
      json: { items: items.map(form.view) },
      quiet: items.map(form.id),
      text: items.length === 0 ? '' : this.table(head, rows),
    });
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

  /** A remark for people. It is omitted with `--quiet` and `--json`. */
  note(text: string): void {
    if (this.#options.json !== true && this.#options.quiet !== true) this.warn(text);
  }

  /** A warning that must be read. It is shown in every output format. */
  warn(text: string): void {
    this.#terminal.writeError(`${text}\n`);
  }

  #write(text: string): void {
    this.#terminal.writeOut(`${text}\n`);
  }
}
