import { signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { withdrawalDelay } from '../../contract/signing-key-policy.ts';
import { auditChange, type ChangeAudit } from '../audit/audit-change.ts';
import { ConflictError, SigningKeyUnusableError, UnavailableError } from '../errors.ts';
import { publicJwkFromSpki } from '../signing-key/public-jwk.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import {
  assertRemovable,
  findCurrentKey,
  type RotationAction,
  type RotationActionKind,
  subjectOf,
} from './plan.ts';
import {
  type KeyIntent,
  type ManagedKey,
  type ManagedKeyDescription,
  PublicationRefusedError,
  type RotationContext,
  type RotationPorts,
  type RotationSettings,
  type RotationState,
} from './rotation-ports.ts';

/**
 * Seconds for which an intent belongs to the run that recorded it: CreateKey and the write after it
 * take two or three. A slower run only loses its turn.
 */
const intentLease = 30;

type Executor<K extends RotationActionKind> = (
  action: Extract<RotationAction, { kind: K }>,
  context: RotationContext,
  state: RotationState,
) => Promise<void>;

const executors: { readonly [K in RotationActionKind]: Executor<K> } = {
  open_intent: ({ slot, alg, last }, { ports, settings }) =>
    ports.store.putKeyIntent({
      slot,
      intentId: ports.newId(),
      regionId: settings.regionId,
      alg,
      holder: settings.runId,
      leaseUntil: ports.now() + intentLease,
      closed: false,
      version: (last?.version ?? 0) + 1,
    }),
  take_over_intent: ({ intent, alg }, { ports, settings }) =>
    takeOver(intent, alg, settings, ports),
  create_key: ({ intent }, { ports }, state) =>
    // KMS has the whole lease to make the new key readable.
    createKey({ ...intent, leaseUntil: ports.now() + intentLease }, state, ports),
  read_public_key: ({ intent }, { ports }) => readPublicKey(intent, ports),
  publish: ({ intent }, { ports }) => requestPublication(intent, ports),
  close_intent: ({ intent }, { ports }) =>
    ports.store.putKeyIntent({ ...intent, closed: true, version: intent.version + 1 }),
  promote: ({ key }, { ports }, state) =>
    replace(key, { state: 'current', activatedAt: activationTime(key, state, ports.now()) }, ports),
  retire: ({ key }, { ports, settings }) => {
    const retiredAt = ports.now();
    const withdrawAt = retiredAt + settings.policy.retention;
    return replace(key, { state: 'previous', retiredAt, withdrawAt }, ports);
  },
  withdraw: ({ key, emergency }, { ports, settings }) => {
    const withdrawnAt = ports.now();
    if (emergency !== true) assertRemovable('withdraw', key, settings.policy, withdrawnAt);
    const delay = emergency === true ? 0 : withdrawalDelay(settings.policy);
    const disableAt = withdrawnAt + delay;
    return replace(key, { state: 'withdrawn', withdrawnAt, disableAt }, ports);
  },
  disable: async ({ key }, { ports, settings }) => {
    assertRemovable('disable', key, settings.policy, ports.now());
    await disableInKms(key, ports);
    await replace(key, { state: 'disabled', disabledAt: ports.now() }, ports);
  },
  schedule_deletion: async ({ key }, { ports, settings }) => {
    assertRemovable('schedule_deletion', key, settings.policy, ports.now());
    await ports.keyManagement.scheduleKeyDeletion(key.kmsKeyArn);
    const deletionScheduledAt = ports.now();
    await replace(key, { state: 'deletion_scheduled', deletionScheduledAt }, ports);
  },
};

/** The intent keeps a key of its former holder only if KMS of this region can use it. */
async function takeOver(
  intent: KeyIntent,
  alg: KeyIntent['alg'],
  settings: RotationSettings,
  ports: RotationPorts,
): Promise<void> {
  const isKept = intent.regionId === settings.regionId && (await isEnabled(intent, ports));
  await ports.store.putKeyIntent({
    ...intent,
    regionId: settings.regionId,
    ...(!isKept && { alg, kmsKeyArn: undefined, publicJwk: undefined }),
    holder: settings.runId,
    leaseUntil: ports.now() + intentLease,
    version: intent.version + 1,
  });
}

/** A new key is known to KMS well before the lease of the run that made it is over. */
async function isEnabled({ kmsKeyArn }: KeyIntent, ports: RotationPorts): Promise<boolean> {
  if (kmsKeyArn === undefined) return false;
  return (await ports.keyManagement.describeKey(kmsKeyArn))?.state === 'enabled';
}

/** When someone deletes a key in KMS, it is also out of use. */
async function disableInKms(key: SigningKey, ports: RotationPorts): Promise<void> {
  try {
    await ports.keyManagement.disableKey(key.kmsKeyArn);
  } catch (error) {
    if (!(error instanceof SigningKeyUnusableError)) throw error;
  }
}

/**
 * The key that was activated last signs. The one that signs now may have been activated in this
 * second, or by a host whose clock was ahead.
 */
function activationTime({ regionId }: SigningKey, { keys }: RotationState, now: number): number {
  const signing = findCurrentKey(keys, regionId);
  return signing?.activatedAt === undefined ? now : Math.max(now, signing.activatedAt + 1);
}

function replace(
  key: SigningKey,
  change: Partial<SigningKey>,
  ports: RotationPorts,
): Promise<void> {
  return ports.store.replaceSigningKey({ ...key, ...change, version: key.version + 1 });
}

/**
 * Takes one step without further checks: a promotion has already been proved. It writes the audit
 * intent first, then takes the step, then writes the outcome.
 *
 * @throws {ConflictError} if another run was faster: read the state and plan again.
 * @throws {RetainedKeyError} if a key may not be taken out of use.
 */
export async function executeAction(
  action: RotationAction,
  context: RotationContext,
  state: RotationState,
): Promise<void> {
  const { ports, settings, actor } = context;
  const audit: ChangeAudit = {
    log: ports.audit,
    changeId: ports.newId(),
    actor,
    clock: () => ports.now() * 1000,
    isUncertain: (error) => error instanceof ConflictError || error instanceof UnavailableError,
    onGap: ({ outcome }, cause) => {
      // Only a step whose own error is thrown has no recorded outcome.
      if (outcome === 'done') throw cause;
    },
  };
  const change = {
    action: `signing_key.${action.kind}`,
    subject: subjectOf(action),
    before: 'key' in action ? { state: action.key.state } : undefined,
    after: { region: settings.regionId },
  };
  const execute = executors[action.kind] as Executor<RotationActionKind>;
  await auditChange(audit, change, () => execute(action, context, state));
}

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
async function createKey(
  intent: KeyIntent,
  state: RotationState,
  ports: RotationPorts,
): Promise<void> {
  const found = await findUnrecordedKeys(state, ports);
  const adopted = chooseKey(found, intent);
  await removeUnfitKeys(found, intent, ports);
  const kmsKeyArn = adopted?.kmsKeyArn ?? (await ports.keyManagement.createKey(describe(intent)));
  await ports.store.putKeyIntent({ ...intent, kmsKeyArn, version: intent.version + 1 });
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
async function readPublicKey(intent: KeyIntent, ports: RotationPorts): Promise<void> {
  if (intent.kmsKeyArn === undefined)
    throw new TypeError('the intent has no key whose public half could be read');
  const spki = await ports.keyManagement.getPublicKey(intent.kmsKeyArn);
  const publicJwk = publicJwkFromSpki(spki, intent.alg);
  await ports.store.putKeyIntent({ ...intent, publicJwk, version: intent.version + 1 });
}

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
async function requestPublication(intent: KeyIntent, ports: RotationPorts): Promise<void> {
  const { slot, version, kmsKeyArn, publicJwk } = intent;
  if (kmsKeyArn === undefined || publicJwk === undefined) {
    throw new TypeError(`the intent of ${slot} has no key to publish`);
  }
  const { faults } = await ports.publishKey({ slot, version });
  if (faults.length === 0) return;
  await ports.keyManagement.scheduleKeyDeletion(kmsKeyArn);
  await ports.store.putKeyIntent({
    ...intent,
    kmsKeyArn: undefined,
    publicJwk: undefined,
    holder: noRun,
    leaseUntil: ports.now() + pauseAfterRefusal,
    version: version + 1,
  });
  throw new PublicationRefusedError(publicJwk.kid, kmsKeyArn, faults);
}
