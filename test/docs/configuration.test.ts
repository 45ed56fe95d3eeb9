import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { deploymentConfigSchema } from '../../contract/deployment-config-schema.ts';
import { regionIds } from '../../contract/regions.ts';
import { root } from '../architecture/source-files.ts';

interface Key {
  readonly path: string;
  /** Undefined if there is none, or it is not a single value. */
  readonly default: unknown;
}

type Schema = v.GenericSchema & {
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly wrapped?: Schema;
  readonly item?: Schema;
};

/** Every key below a schema, with the default that parsing gives it. */
function keysOf(schema: Schema, path: string): readonly Key[] {
  if (schema.wrapped !== undefined) return keysOf(schema.wrapped, path);
  if (schema.item !== undefined) return keysOf(schema.item, path);
  return Object.entries(schema.entries ?? {}).flatMap(([name, entry]) => {
    const own = path === '' ? name : `${path}.${name}`;
    return [{ path: own, default: v.getDefault(entry) }, ...keysOf(entry, own)];
  });
}

/** The other regions are as the first is. */
function isOfOtherRegion(path: string): boolean {
  return regionIds.slice(1).some((id) => path.startsWith(`regions.${id}`));
}

const keys = keysOf(deploymentConfigSchema as Schema, '').filter(
  ({ path }) => !isOfOtherRegion(path) && path !== `regions.${regionIds[0]}`,
);

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
