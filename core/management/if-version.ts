import { VersionConflictError } from '../errors.ts';
import { readInteger } from './read-input.ts';

/** Makes a change only if the stored version is the one that the caller has seen. */
export interface IfVersion {
  /** The `version` that the decision was based on. If left out, the change is made anyway. */
  readonly ifVersion?: number | undefined;
}

/**
 * @param what names the record, for the message, e.g. `client client_x`.
 * @param least 0 if there is a version of a record that is not stored.
 * @throws {InputError} if the version is not a valid number.
 * @throws {VersionConflictError} if the stored version is another.
 */
export function checkVersion(
  what: string,
  expected: unknown,
  current: number,
  least: 0 | 1 = 1,
): void {
  if (expected === undefined) return;
  const version = readInteger('ifVersion', expected, least, Number.MAX_SAFE_INTEGER);
  if (version !== current) throw new VersionConflictError(what, version, current);
}
