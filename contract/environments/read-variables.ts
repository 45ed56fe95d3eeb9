import * as v from 'valibot';
import { describeIssues } from '../parse-problem.ts';
import { regionIds } from '../regions.ts';

/** A function's environment that cannot be used. Its message names each variable. */
class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/**
 * Reads a function's environment once, at INIT.
 *
 * @throws {EnvironmentError} naming each variable that is missing or not as allowed.
 */
export function readVariables<const T extends v.GenericSchema>(
  name: string,
  schema: T,
  source: Readonly<Record<string, string | undefined>>,
): Readonly<v.InferOutput<T>> {
  const present = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = v.safeParse(schema, present);
  if (!result.success) {
    throw new EnvironmentError(
      `the environment of the ${name} function cannot be used:\n${describeIssues(result.issues).join('\n')}`,
    );
  }
  return Object.freeze(result.output);
}

/** Empty means missing. */
export const text = v.pipe(v.string(), v.minLength(1, 'allowed: not empty'));
/** Something that is on, or not. */
export const flag = /* @__PURE__ */ v.optional(
  /* @__PURE__ */ v.literal('1', 'allowed: 1, or nothing'),
);
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
export const json = /* @__PURE__ */ v.pipe(
  text,
  /* @__PURE__ */ v.rawTransform(({ dataset, addIssue, NEVER }): unknown => {
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
