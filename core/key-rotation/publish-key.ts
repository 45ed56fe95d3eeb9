import type { PublicationRequest, PublicationResult } from '../../contract/function-events.ts';
import type { RegionId } from '../../contract/regions.ts';
import { ConflictError, UnavailableError } from '../errors.ts';
import type { PortOptions } from '../port.ts';
import type { PublicJwk, SigningKey } from '../signing-key/signing-key.ts';
import { checkCustody, type ExpectedCustody } from './custody.ts';
import type { KeyInspection, RotationStore } from './rotation-ports.ts';
import type { KeyIntent } from './rotation-state.ts';

/** What the publication of a key reaches. It runs with another role than the rotation. */
interface PublisherPorts {
  readonly store: Pick<RotationStore, 'listKeyIntents' | 'createSigningKey'>;
  /** @throws {SigningKeyUnusableError} if KMS does not know the key, or does not show it yet. */
  readonly inspectKey: (kmsKeyArn: string, options?: PortOptions) => Promise<KeyInspection>;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

export interface PublisherSettings extends ExpectedCustody {
  readonly regionId: RegionId;
  /** L: the clock of the run that took the lease may differ by so many seconds. */
  readonly leeway: number;
}

/**
 * Publishes the key of an intent if only the service can sign with it. It takes nothing on trust:
 * the intent comes from the table, and the public key and all else from KMS.
 *
 * @returns the faults of a key that must never be published; none if it is published.
 * @throws {UnavailableError} if the intent is not what was asked about, or is not held any more.
 */
export async function publishKey(
  { slot, version }: PublicationRequest,
  settings: PublisherSettings,
  ports: PublisherPorts,
): Promise<PublicationResult> {
  const intents = await ports.store.listKeyIntents();
  const intent = intents.find((candidate) => candidate.slot === slot);
  const isAsked =
    intent?.version === version && intent.regionId === settings.regionId && !intent.closed;
  if (!isAsked || intent.kmsKeyArn === undefined) {
    throw new UnavailableError(`the intent of ${slot} has changed since it was read`);
  }
  const inspection = await ports.inspectKey(intent.kmsKeyArn);
  const { publicJwk, faults } = checkCustody(inspection, intent.alg, settings);
  if (publicJwk === undefined) return { faults: [...faults] };
  const now = ports.now();
  // After the lease, another region may be about to make another first key.
  if (intent.leaseUntil + settings.leeway <= now)
    throw new UnavailableError(`the lease of ${slot} is over`);
  await record(startKey(intent, intent.kmsKeyArn, publicJwk, now), ports);
  return { faults: [] };
}

/** The issuer's very first key signs at once: no one can hold an older set. */
function startKey(
  { slot, regionId, alg }: KeyIntent,
  kmsKeyArn: string,
  publicJwk: PublicJwk,
  now: number,
): SigningKey {
  const start =
    slot === 'first'
      ? ({ state: 'current', activatedAt: now } as const)
      : ({ state: 'next' } as const);
  const { kid } = publicJwk;
  return { kid, regionId, alg, kmsKeyArn, publicJwk, publishedAt: now, version: 1, ...start };
}

/** A key that is recorded has been published before: its kid is a digest of the public key. */
async function record(key: SigningKey, { store }: PublisherPorts): Promise<void> {
  try {
    await store.createSigningKey(key);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
}
