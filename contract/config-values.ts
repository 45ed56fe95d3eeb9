import * as v from 'valibot';

/** Values of more than one part of the deployment config. */

export const count = v.pipe(
  v.number(),
  v.integer('allowed: a whole number'),
  v.minValue(1, 'allowed: 1 or more'),
);

export const distinct = <T extends v.GenericSchema>(item: T, most: number) =>
  v.pipe(
    v.array(item),
    v.minLength(1, 'allowed: one or more'),
    v.maxLength(most, `allowed: at most ${most}`),
    v.check((all) => new Set(all).size === all.length, 'allowed: each once'),
    v.readonly(),
  );

export const trunkGroup = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/, 'allowed: a service trunk group'),
);
