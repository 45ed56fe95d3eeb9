import { signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { SigningKeyUnusableError } from '../errors.ts';
import type { ManagedKey, ManagedKeyDescription } from './key-management.ts';
import { publicJwkFromSpki } from './public-jwk.ts';
import type { RotationPorts } from './rotation-ports.ts';
import type { KeyIntent, RotationState } from './rotation-state.ts';

/**
 * A key without a record that is older than this, in seconds, belongs to no run: a run makes a
 * key and records it within one call of the function, which lasts 15 minutes at the most.
 */
const orphanAge = 3600;

type FoundKey = ManagedKey & ManagedKeyDescription;

/**
 * Makes the key that an intent stands for and notes its ARN in the intent. A key that KMS holds
 * for this deployment and that no record names is adopted instead: a crash or the rollback of a
 * deployment left it behind, and it never signed for anybody who could still ask for it.
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

/** The intent's own key before any other, then the youngest. */
function chooseKey(found: readonly FoundKey[], intent: KeyIntent): FoundKey | undefined {
  const fit = found
    .filter((key) => isFit(key, intent))
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return fit.find((key) => key.intentId === intent.intentId) ?? fit[0];
}

/** Keys of an algorithm that is not wanted any more: no one will ever adopt them. */
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
 * Reads the public half of an intent's key and notes it in the intent. KMS may need some seconds
 * until it knows a new key; one that it does not know after the lease is over is given up.
 *
 * @throws {SigningKeyUnusableError} if the key cannot be read yet.
 */
export async function readPublicKey(intent: KeyIntent, ports: RotationPorts): Promise<void> {
  const version = intent.version + 1;
  if (intent.kmsKeyArn === undefined) throw new TypeError('an intent without a key has no half');
  try {
    const spki = await ports.keyManagement.getPublicKey(intent.kmsKeyArn);
    const publicJwk = publicJwkFromSpki(spki, intent.alg);
    await ports.store.replaceKeyIntent({ ...intent, publicJwk, version });
  } catch (error) {
    const givenUp = error instanceof SigningKeyUnusableError && intent.leaseUntil <= ports.now();
    if (!givenUp) throw error;
    await ports.store.replaceKeyIntent({ ...intent, kmsKeyArn: undefined, version });
  }
}
