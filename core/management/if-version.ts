import type * as v from 'valibot';
import type { versionOptions } from '../../contract/management/inputs.ts';
import { ConflictError, VersionConflictError } from '../errors.ts';

/** Makes a change only if the stored version is the one that the caller has seen. */
export type IfVersion = v.InferOutput<typeof versionOptions>;

/**
 * @param what names the record, for the message, e.g. `client client_x`.
 * @throws {VersionConflictError} if the stored version is another.
 */
export function checkVersion(what: string, expected: number | undefined, current: number): void {
  if (expected === undefined || expected === current) return;
  throw new VersionConflictError(what, expected, current);
}

/** With 24 callers that change one record all the time, one attempt in nine was the first to write. */
const stopAttempts = 30;

/**
 * Repeats a stop that another change overtook: someone who changes a record again and again must not
 * keep it from being stopped. A caller who named a version decides again.
 *
 * @param stop reads the record and writes it.
 */
export async function repeatStop<T>({ ifVersion }: IfVersion, stop: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await stop();
    } catch (error) {
      const isOvertaken = error instanceof ConflictError && ifVersion === undefined;
      if (!isOvertaken || attempt === stopAttempts) throw error;
    }
  }
}
