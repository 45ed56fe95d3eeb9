import type { PublicationRequest, PublicationResult } from '../../contract/function-events.ts';
import { kmsKeyTags } from '../../contract/kms-key.ts';
import type { RegionId } from '../../contract/regions.ts';
import { type Alg, signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { ConflictError, UnavailableError } from '../errors.ts';
import { PublicKeyError, publicJwkFromSpki } from '../signing-key/public-jwk.ts';
import type { PublicJwk, SigningKey } from '../signing-key/signing-key.ts';
import type { KeyInspection, KeyIntent, RotationStore } from './rotation-ports.ts';

/** What every signing key of a deployment must be like. */
interface ExpectedCustody {
  readonly deploymentName: string;
  /** The key policy, a JSON object. */
  readonly keyPolicy: unknown;
}

/** Whether only the service can sign with a key, and if so, its public half. */
type CustodyCheck =
  | { readonly publicJwk: PublicJwk; readonly faults: readonly [] }
  | { readonly publicJwk?: undefined; readonly faults: readonly string[] };

/**
 * Checks that only the service can sign with a key: KMS made it, no one has a copy, its policy is
 * the one that the deployment gives to its keys, and no grant opens it to anyone else.
 */
export function checkCustody(
  inspection: KeyInspection,
  alg: Alg,
  { deploymentName, keyPolicy }: ExpectedCustody,
): CustodyCheck {
  const { state, kmsKeySpec, keyUsage, origin, keyManager, isMultiRegion, tags } = inspection;
  const compared: readonly (readonly [what: string, received: unknown, allowed: unknown])[] = [
    ['state', state, 'enabled'],
    ['KeySpec', kmsKeySpec, signingAlgorithms[alg].kmsKeySpec],
    ['KeyUsage', keyUsage, 'SIGN_VERIFY'],
    ['Origin', origin, 'AWS_KMS'],
    ['KeyManager', keyManager, 'CUSTOMER'],
    ['MultiRegion', isMultiRegion, false],
    [`tag ${kmsKeyTags.deployment}`, tags.get(kmsKeyTags.deployment), deploymentName],
    ['grants', inspection.grants, 0],
  ];
  const faults = compared
    .filter(([, received, allowed]) => received !== allowed)
    .map(
      ([what, received, allowed]) =>
        `${what}: received ${String(received)}; allowed: ${String(allowed)}`,
    );
  if (!isSamePolicy(inspection.policy, keyPolicy)) {
    faults.push("key policy: received another one than this deployment's");
  }
  if (faults.length > 0) return { faults };
  try {
    return { publicJwk: publicJwkFromSpki(inspection.spki, alg), faults: [] };
  } catch (error) {
    if (!(error instanceof PublicKeyError)) throw error;
    return { faults: [`public key: ${error.message}`] };
  }
}

/** A list in which neither order nor repetition counts, and which one value stands for as well. */
function canonicalList(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(items.map((item) => JSON.stringify(canonicalItem(item))))].sort();
}

function canonicalItem(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, content]) => [name, canonicalList(content)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Whether two IAM policy documents are the same but for what has no meaning: the order of
 * statements, of members and of lists, and whether a list of one value is written as a list. KMS
 * may change these when it stores a policy.
 *
 * @param text JSON; text that is no JSON is no policy.
 */
export function isSamePolicy(text: string, expected: unknown): boolean {
  try {
    return canonicalList(JSON.parse(text)).join() === canonicalList(expected).join();
  } catch {
    return false;
  }
}

/** What the publication of a key reaches. It runs with another role than the rotation. */
interface PublisherPorts {
  readonly store: Pick<RotationStore, 'listKeyIntents' | 'createSigningKey'>;
  /** @throws {SigningKeyUnusableError} if KMS does not know the key, or does not show it yet. */
  readonly inspectKey: (kmsKeyArn: string) => Promise<KeyInspection>;
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
