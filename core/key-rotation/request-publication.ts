import { PublicationRefusedError } from './rotation-errors.ts';
import type { RotationPorts } from './rotation-ports.ts';
import type { KeyIntent } from './rotation-state.ts';

/**
 * Seconds for which no key is made after one was refused: what is wrong with it may be wrong with
 * the next one, too. Shorter than a deployment waits, so that the next one can repair it.
 */
const pauseAfterRefusal = 600;

/** A slot that no run holds. */
const noRun = 'none';

/**
 * Asks for the publication of an intent's key. A key that is refused leaves the intent, and KMS is
 * asked to delete it: no run takes it up again.
 *
 * @throws {PublicationRefusedError} if the key is refused.
 * @throws {UnavailableError} if the publisher does not answer, or cannot look at the key yet.
 */
export async function requestPublication(intent: KeyIntent, ports: RotationPorts): Promise<void> {
  const { slot, version, kmsKeyArn, publicJwk } = intent;
  if (kmsKeyArn === undefined || publicJwk === undefined) {
    throw new TypeError(`the intent of ${slot} has no key to publish`);
  }
  const { faults } = await ports.publishKey({ slot, version });
  if (faults.length === 0) return;
  await ports.keyManagement.scheduleKeyDeletion(kmsKeyArn);
  await ports.store.replaceKeyIntent({
    ...intent,
    kmsKeyArn: undefined,
    publicJwk: undefined,
    holder: noRun,
    leaseUntil: ports.now() + pauseAfterRefusal,
    version: version + 1,
  });
  throw new PublicationRefusedError(publicJwk.kid, kmsKeyArn, faults);
}
