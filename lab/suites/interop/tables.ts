import {
  formatRow,
  formatTable,
  readDocument,
  readPart,
  writeParts,
} from '../../support/generated-parts.ts';
import type { Missing } from '../../support/runtimes.ts';
import { notMeasured } from './check-cache.ts';
import { type ClientRow, calls } from './check-client.ts';
import { type KeyClient, type KeyRow, keyAlgs } from './check-keys.ts';
import { behaviourOf, type Row } from './check-library.ts';
import { clients, type TokenClient } from './clients.ts';
import { libraries, matrixAlgs } from './libraries.ts';

const document = 'interop.md';

/** One generated table of docs/interop.md. */
interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** First cells of all rows, in order. */
  readonly titles: readonly string[];
}

/** The first cell of a row. */
export function titleOf({ name, language }: Titled): string {
  return `${name} (${language})`;
}

interface Titled {
  readonly name: string;
  readonly language: string;
}

/** Checks one after the other, as far as this machine can build it; and says what it lacks. */
export async function checkEach<Row extends Titled, Built extends object>(
  rows: readonly Row[],
  build: (row: Row) => Promise<Built | Missing>,
  check: (row: Row, built: Built) => Promise<void>,
): Promise<void> {
  for (const row of rows) {
    const built = await build(row);
    if ('missing' in built)
      console.info(`SKIPPED ${titleOf(row)}: this machine lacks ${built.missing}`);
    else await check(row, built);
  }
}

export const verifierTable: Table = {
  name: 'verifiers',
  columns: [
    'library',
    'algorithms',
    'needs',
    'a new key is accepted',
    'fetches for 10 unknown `kid`s',
  ],
  titles: libraries.map(titleOf),
};

export function formatVerifier(row: Row): string {
  const works = matrixAlgs.filter((alg) => row.byAlg.get(alg)?.text === 'yes');
  const algorithms = works.length === matrixAlgs.length ? 'all' : works.join(', ') || 'none';
  const [newKey, unknownKid, mlDsa = notMeasured.text] = behaviourOf(row).map(({ text }) => text);
  const withMlDsa = ['none', notMeasured.text].includes(mlDsa)
    ? ''
    : `; an unused ML-DSA key: ${mlDsa}`;
  const cells = [algorithms + withMlDsa, row.library.needs, newKey ?? '', unknownKid ?? ''];
  return formatRow([titleOf(row.library), ...cells]);
}

export const clientTable: Table = {
  name: 'clients',
  columns: [
    'client',
    'as it comes',
    'needs',
    `token requests of ${calls} calls, tokens of an hour`,
    'tokens of a minute',
    'requests with a wrong secret',
  ],
  titles: clients.map(titleOf),
};

export function formatClient({ client, asItComes, ...row }: ClientRow): string {
  const counts = [row.hour, row.minute, row.wrongSecret].map(String);
  return formatRow([titleOf(client), asItComes, client.needs ?? 'nothing', ...counts]);
}

export const keyClients = clients.filter((client): client is KeyClient => client.key !== undefined);

export const proofClients = clients.filter(({ proof }) => proof !== undefined);

export const proofTable: Table = {
  name: 'proofs',
  columns: ['client', 'needs'],
  titles: proofClients.map(titleOf),
};

export function formatProof(client: TokenClient): string {
  return formatRow([titleOf(client), client.proof ?? '']);
}

export const keyTable: Table = {
  name: 'keys',
  columns: ['client', 'needs', 'algorithms'],
  titles: keyClients.map(titleOf),
};

export function formatKeys({ client, algorithms }: KeyRow): string {
  const all = algorithms.length === keyAlgs.length ? 'all' : algorithms.join(', ');
  return formatRow([titleOf(client), client.key?.needs ?? 'nothing', all]);
}

/** Lines of the rows that the document has. */
export function documentRows({ name }: Table): readonly string[] {
  return readPart(readDocument(document), name).split('\n').slice(2);
}

/** Prints each row when it is measured, and keeps it for the document. */
export class Report {
  readonly #table: Table;
  readonly #measured = new Map<string, string>();
  problems = 0;

  constructor(table: Table) {
    this.#table = table;
  }

  get rows(): number {
    return this.#measured.size;
  }

  add(title: string, row: string, problems: readonly string[]): void {
    this.#measured.set(title, row);
    this.problems += problems.length;
    console.info(`${problems.length === 0 ? 'ok' : 'FAILED'}  ${title}`);
    const cells = row.slice(2, -2).split(' | ');
    for (const [index, column] of this.#table.columns.entries()) {
      if (index > 0) console.info(`    ${column}: ${cells[index] ?? ''}`);
    }
    for (const problem of problems) console.info(`    problem: ${problem}`);
  }

  /** What was not run keeps the row of its last run with the same version. */
  write(): void {
    const { name, columns, titles } = this.#table;
    const earlier = documentRows(this.#table);
    const rows = titles.flatMap(
      (title) =>
        this.#measured.get(title) ?? earlier.filter((line) => line.startsWith(`| ${title} |`)),
    );
    writeParts([document], { [name]: [formatTable([columns]), ...rows].join('\n') });
  }
}
