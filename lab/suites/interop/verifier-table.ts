import { formatRow } from '../../support/generated-parts.ts';
import { behaviourOf, matrixAlgs, type Row } from './check-library.ts';
import { libraries } from './libraries.ts';
import type { Library } from './library.ts';
import type { Table } from './table.ts';

export function titleOf({ name, language }: Library): string {
  return `${name} (${language})`;
}

export const verifierTable: Table = {
  name: 'verifiers',
  columns: [
    'library',
    ...matrixAlgs,
    'needs',
    'JWKS cache',
    'a new key',
    'unknown `kid`',
    'unused ML-DSA key',
  ],
  titles: libraries.map(titleOf),
};

export function formatVerifier(row: Row): string {
  const algorithms = matrixAlgs.map((alg) => row.byAlg.get(alg)?.text ?? '');
  const behaviour = behaviourOf(row).map(({ text }) => text);
  return formatRow([titleOf(row.library), ...algorithms, row.library.needs, ...behaviour]);
}

export function problemsOf(row: Row): readonly string[] {
  return [...row.byAlg.values(), ...behaviourOf(row)].flatMap(({ problem }) => problem ?? []);
}
