import * as v from 'valibot';
import { regionIds } from '../../contract/regions.ts';

/** A key of the deployment config. */
interface ConfigKey {
  readonly path: string;
  /** Undefined if there is none, or it is not a single value. */
  readonly default: unknown;
}

type Schema = v.GenericSchema & {
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly wrapped?: Schema;
  readonly item?: Schema;
};

function keysOf(schema: Schema, path: string): readonly ConfigKey[] {
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

/** Every key below the schema of the config, with the default that parsing gives it. */
export function schemaKeys(schema: v.GenericSchema): readonly ConfigKey[] {
  return keysOf(schema as Schema, '').filter(
    ({ path }) => !isOfOtherRegion(path) && path !== `regions.${regionIds[0]}`,
  );
}
