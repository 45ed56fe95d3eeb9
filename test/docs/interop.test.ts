import { describe, expect, it } from 'vitest';
import {
  clientTable,
  documentRows,
  keyTable,
  proofTable,
  verifierTable,
} from '../../lab/suites/interop/tables.ts';

const tables = [verifierTable, clientTable, keyTable, proofTable];

/** `npm run test:interop -- --write` writes the rows; a new version must be run before it counts. */
describe('docs/interop.md', () => {
  it.each(tables)('has the row of each pinned version: $name', (table) => {
    const titles = documentRows(table).map((line) => line.split(' | ')[0]?.slice(2));
    expect(titles).toEqual(table.titles);
  });

  it.each(tables)('has no row that failed: $name', (table) => {
    expect(documentRows(table).filter((line) => line.includes('FAILED'))).toEqual([]);
  });
});
