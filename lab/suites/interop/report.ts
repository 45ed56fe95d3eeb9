import type { Table } from './table.ts';

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints each row when it is measured, and keeps it for the document. */
export class Report {
  readonly table: Table;
  readonly measured = new Map<string, string>();
  problems = 0;

  constructor(table: Table) {
    this.table = table;
  }

  skip(title: string, missing: string): void {
    say(`SKIPPED ${title}: this machine lacks ${missing}`);
  }

  add(title: string, row: string, problems: readonly string[]): void {
    this.measured.set(title, row);
    this.problems += problems.length;
    say(`${problems.length === 0 ? 'ok' : 'FAILED'}  ${title}`);
    const cells = row.slice(2, -2).split(' | ');
    for (const [index, column] of this.table.columns.entries()) {
      if (index > 0) say(`    ${column}: ${cells[index] ?? ''}`);
    }
    for (const problem of problems) say(`    problem: ${problem}`);
  }
}
