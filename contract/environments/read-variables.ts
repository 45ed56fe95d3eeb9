import * as v from 'valibot';
import { describeIssues } from '../parse-problem.ts';

/** A function's environment that cannot be used. Its message names each variable. */
export class EnvironmentError extends Error {
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
