import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { libraries } from '../../lab/suites/interop/libraries.ts';
import {
  clientTable,
  documentRows,
  keyTable,
  proofTable,
  verifierTable,
} from '../../lab/suites/interop/tables.ts';

const folder = join(import.meta.dirname, '../../lab/suites/interop/programs');
const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?:verify|main|Verify)\.\w+$/.test(name))
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .join('\n');

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

  it.each(libraries.filter(({ lacks }) => !lacks.includes('RS256')))(
    'says how $name gets its issuer and its audience, in the words of its program',
    ({ needs }) => {
      if (needs.includes('](../examples/') || needs.includes('`accessTokenType`')) return;
      expect(needs).toMatch(/iss/i);
      expect(needs).toMatch(/aud|ClientID|resource_server/i);
      const words = [...needs.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
        code.split(/[^\w+]+/).filter((word) => word !== ''),
      );
      expect(words.filter((word) => !programs.includes(word))).toEqual([]);
    },
  );
});
