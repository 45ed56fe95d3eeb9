import { describe, expect, it } from 'vitest';
import { readDocument, readPart } from '../../lab/support/generated-parts.ts';
import { computeRoleTables } from '../../lab/tools/role-table/role-tables.ts';
import { withStubBundles } from './synthesise.ts';

describe('docs/roles.md', () => {
  it('has the permissions of the templates', () => {
    const page = readDocument('roles.md');
    withStubBundles((bundles) => {
      for (const [name, content] of Object.entries(computeRoleTables(bundles))) {
        expect(readPart(page, name), `${name}: run node lab/tools/role-table/main.ts`).toBe(
          content,
        );
      }
    });
  });
});
