import * as v from 'valibot';
import { regionIds } from '../regions.ts';

/** Empty means missing. */
export const text = v.pipe(v.string(), v.minLength(1, 'allowed: not empty'));
export const regionId = v.picklist(regionIds);
export const wholeNumber = v.pipe(
  text,
  v.regex(/^\d+$/, 'allowed: a whole number'),
  v.transform(Number),
  v.number(),
);
export const list = <T extends v.GenericSchema<string, unknown>>(item: T) =>
  v.pipe(
    text,
    v.transform((value) => value.split(' ')),
    v.array(item),
  );

/** A JSON value that the reader checks further. */
export const json = v.pipe(
  text,
  v.rawTransform(({ dataset, addIssue, NEVER }): unknown => {
    try {
      return JSON.parse(dataset.value);
    } catch {
      addIssue({ message: 'allowed: JSON' });
      return NEVER;
    }
  }),
);

/** `typ` of access tokens if it is not `at+jwt`. */
export const plainTokenType = v.optional(v.literal('JWT', 'allowed: JWT, or nothing'));
