import { withdrawalDelay } from '../../contract/signing-key-policy.ts';
import { auditChange, type ChangeAudit } from '../audit/audit-change.ts';
import { ConflictError, SigningKeyUnusableError, UnavailableError } from '../errors.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { createKey, readPublicKey } from './create-key.ts';
import { assertDeletable, assertDisableable, assertWithdrawable } from './removal-guard.ts';
import { requestPublication } from './request-publication.ts';
import { type RotationAction, type RotationActionKind, subjectOf } from './rotation-action.ts';
import type { RotationPorts } from './rotation-ports.ts';
import {
  findCurrentKey,
  type KeyIntent,
  type RotationSettings,
  type RotationState,
} from './rotation-state.ts';

/**
 * Seconds for which an intent belongs to the run that recorded it: CreateKey and the write after it
 * take two or three. A slower run only loses its turn.
 */
const intentLease = 30;

/** What one run works with. */
export interface RotationContext {
  readonly ports: RotationPorts;
  readonly settings: RotationSettings;
  /** The actor in the audit log. */
  readonly actor: string;
}

type Executor<K extends RotationActionKind> = (
  action: Extract<RotationAction, { kind: K }>,
  context: RotationContext,
  state: RotationState,
) => Promise<void>;

const executors: { readonly [K in RotationActionKind]: Executor<K> } = {
  open_intent: ({ slot, alg, last }, { ports, settings }) => {
    const intent: KeyIntent = {
      slot,
      intentId: ports.newId(),
      regionId: settings.regionId,
      alg,
      holder: settings.runId,
      leaseUntil: ports.now() + intentLease,
      closed: false,
      version: (last?.version ?? 0) + 1,
    };
    return last === undefined
      ? ports.store.createKeyIntent(intent)
      : ports.store.replaceKeyIntent(intent);
  },
  take_over_intent: ({ intent, alg }, { ports, settings }) =>
    takeOver(intent, alg, settings, ports),
  create_key: ({ intent }, { ports }, state) =>
    // KMS has the whole lease to make the new key readable.
    createKey({ ...intent, leaseUntil: ports.now() + intentLease }, state, ports),
  read_public_key: ({ intent }, { ports }) => readPublicKey(intent, ports),
  publish: ({ intent }, { ports }) => requestPublication(intent, ports),
  close_intent: ({ intent }, { ports }) =>
    ports.store.replaceKeyIntent({ ...intent, closed: true, version: intent.version + 1 }),
  promote: ({ key }, { ports }, state) =>
    replace(key, { state: 'current', activatedAt: activationTime(key, state, ports.now()) }, ports),
  retire: ({ key }, { ports, settings }) => retire(key, settings, ports),
  withdraw: ({ key, emergency }, { ports, settings }) => {
    const withdrawnAt = ports.now();
    if (emergency === true) {
      return replace(key, { state: 'withdrawn', withdrawnAt, disableAt: withdrawnAt }, ports);
    }
    assertWithdrawable(key, withdrawnAt);
    const disableAt = withdrawnAt + withdrawalDelay(settings.policy);
    return replace(key, { state: 'withdrawn', withdrawnAt, disableAt }, ports);
  },
  disable: async ({ key }, { ports }) => {
    assertDisableable(key, ports.now());
    await disableInKms(key, ports);
    await replace(key, { state: 'disabled', disabledAt: ports.now() }, ports);
  },
  schedule_deletion: async ({ key }, { ports, settings }) => {
    assertDeletable(key, settings.policy, ports.now());
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
  await ports.store.replaceKeyIntent({
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

function retire(key: SigningKey, settings: RotationSettings, ports: RotationPorts): Promise<void> {
  const retiredAt = ports.now();
  const withdrawAt = retiredAt + settings.policy.retention;
  return replace(key, { state: 'previous', retiredAt, withdrawAt }, ports);
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
