import { signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { publicJwkFromSpki } from '../signing-key/public-jwk.ts';
import type { ManagedKey, ManagedKeyDescription } from './key-management.ts';
import type { RotationPorts } from './rotation-ports.ts';
import type { KeyIntent, RotationState } from './rotation-state.ts';

/**
 * In seconds. When a key without a record is older than this, no run is about to record it: a run
 * creates a key and records it within one invocation, which lasts 15 minutes at most.
 */
const orphanAge = 3600;

type FoundKey = ManagedKey & ManagedKeyDescription;

/**
 * Creates the key of an intent and records its ARN in the intent. If KMS holds a key of this
 * deployment that no record names, that key is adopted instead. A crash or a rollback left it
 * behind, and no unexpired token depends on it.
 *
 * @throws {ConflictError} if another run took the intent over; the key is then found later.
 */
export async function createKey(
  intent: KeyIntent,
  state: RotationState,
  ports: RotationPorts,
): Promise<void> {
  const found = await findUnrecordedKeys(state, ports);
  const adopted = chooseKey(found, intent);
  await removeUnfitKeys(found, intent, ports);
  const kmsKeyArn = adopted?.kmsKeyArn ?? (await ports.keyManagement.createKey(describe(intent)));
  await ports.store.replaceKeyIntent({ ...intent, kmsKeyArn, version: intent.version + 1 });
}

function describe(intent: KeyIntent) {
  const description = `Signs access tokens in ${intent.regionId} with ${intent.alg}.`;
  return { intentId: intent.intentId, alg: intent.alg, description };
}

async function findUnrecordedKeys(
  state: RotationState,
  ports: RotationPorts,
): Promise<readonly FoundKey[]> {
  const recorded = new Set([...state.keys, ...state.intents].map((item) => item.kmsKeyArn));
  const listed = await ports.keyManagement.listKeys();
  const found: FoundKey[] = [];
  for (const key of listed.filter((item) => !recorded.has(item.kmsKeyArn))) {
    const description = await ports.keyManagement.describeKey(key.kmsKeyArn);
    if (description?.state === 'enabled') found.push({ ...key, ...description });
  }
  return found;
}

function isFit(key: FoundKey, intent: KeyIntent): boolean {
  return key.kmsKeySpec === signingAlgorithms[intent.alg].kmsKeySpec;
}

/** The intent's own key first, then the youngest one. */
function chooseKey(found: readonly FoundKey[], intent: KeyIntent): FoundKey | undefined {
  const fit = found
    .filter((key) => isFit(key, intent))
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return fit.find((key) => key.intentId === intent.intentId) ?? fit[0];
}

/** Keys of an algorithm that is no longer configured: they are never adopted. */
async function removeUnfitKeys(
  found: readonly FoundKey[],
  intent: KeyIntent,
  ports: RotationPorts,
): Promise<void> {
  const unfit = found.filter(
    (key) => !isFit(key, intent) && key.createdAt + orphanAge <= ports.now(),
  );
  for (const key of unfit) await ports.keyManagement.scheduleKeyDeletion(key.kmsKeyArn);
}

/**
 * Reads the public half of an intent's key and records it in the intent. KMS may take some seconds
 * until it can read a new key.
 *
 * @throws {SigningKeyUnusableError} if the key cannot be read yet.
 */
export async function readPublicKey(intent: KeyIntent, ports: RotationPorts): Promise<void> {
  if (intent.kmsKeyArn === undefined)
    throw new TypeError('the intent has no key whose public half could be read');
  const spki = await ports.keyManagement.getPublicKey(intent.kmsKeyArn);
  const publicJwk = publicJwkFromSpki(spki, intent.alg);
  await ports.store.replaceKeyIntent({ ...intent, publicJwk, version: intent.version + 1 });
}
