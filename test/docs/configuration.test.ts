import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deploymentConfigSchema } from '../../contract/deployment-config-schema.ts';
import { schemaKeys } from '../../lab/support/config-keys.ts';
import { root } from '../architecture/source-files.ts';

const keys = schemaKeys(deploymentConfigSchema);

const rows = new Map(
  readFileSync(join(root, 'docs/configuration.md'), 'utf8')
    .split('\n')
    .map((line) => /^\| `([\w.]+)` \| (.*?) \|/.exec(line))
    .filter((found) => found !== null)
    .map(([, path = '', text = '']) => [path, text]),
);

/** Groups whose own row would say nothing that those of their keys do not. */
const withoutRow = ['tokenLifetime', 'signingKeyPolicy', 'throttles', 'reservedConcurrency'];

describe('docs/configuration.md', () => {
  it('has a row for each key of the config, and for no other', () => {
    const expected = keys.map(({ path }) => path).filter((path) => !withoutRow.includes(path));
    const documented = [...rows.keys()];
    expect(documented.filter((path) => !expected.includes(path))).toEqual([]);
    const groups = [...withoutRow, 'tokenFunction'];
    expect(expected.filter((path) => !rows.has(path) && !groups.includes(path))).toEqual([]);
  });

  it('states the default of each key that has one', () => {
    const groups = new Set(keys.flatMap(({ path }) => path.split('.').slice(0, -1).join('.')));
    const withDefault = keys.filter((key) => key.default !== undefined && !groups.has(key.path));
    expect(withDefault.length).toBeGreaterThan(15);
    for (const { path, default: value } of withDefault) {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      expect(rows.get(path), path).toBe(`\`${text}\``);
    }
  });
});
