import type { SigningKeyPolicy } from '../../contract/signing-key-policy.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { RetainedKeyError } from './rotation-errors.ts';

function isOver(time: number | undefined, now: number): boolean {
  return time !== undefined && time <= now;
}

function refuse(key: SigningKey, step: string, until: number | undefined): never {
  const when =
    until === undefined ? 'never in its present state' : `from ${until} (epoch seconds) on`;
  throw new RetainedKeyError(
    `${key.kid} is "${key.state}" and cannot be ${step}: its tokens may be in use; allowed ${when}`,
  );
}

/**
 * The last check before a key leaves the JWKS as planned.
 *
 * @throws {RetainedKeyError} unless the key is `previous` and its retention is over.
 */
export function assertWithdrawable(key: SigningKey, now: number): void {
  if (key.state === 'previous' && isOver(key.withdrawAt, now)) return;
  refuse(key, 'withdrawn', key.state === 'previous' ? key.withdrawAt : undefined);
}

/** @throws {RetainedKeyError} unless the key is `withdrawn` and no cache can hold it any more. */
export function assertDisableable(key: SigningKey, now: number): void {
  if (key.state === 'withdrawn' && isOver(key.disableAt, now)) return;
  refuse(key, 'disabled', key.state === 'withdrawn' ? key.disableAt : undefined);
}

/** @throws {RetainedKeyError} unless the key has been disabled for the deletion delay. */
export function assertDeletable(key: SigningKey, policy: SigningKeyPolicy, now: number): void {
  const from = key.disabledAt === undefined ? undefined : key.disabledAt + policy.deletionDelay;
  if (key.state === 'disabled' && isOver(from, now)) return;
  refuse(key, 'deleted', key.state === 'disabled' ? from : undefined);
}
