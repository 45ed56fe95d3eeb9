import type * as v from 'valibot';
import type { versionOptions } from '../../contract/management/inputs.ts';
import { VersionConflictError } from '../errors.ts';

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
