import { ClockError, ConflictError, UnavailableError } from '../errors.ts';
import { eligibleAt } from '../signing-key/eligibility.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { executeAction, type RotationContext } from './execute-action.ts';
import type { KeyManagement } from './key-management.ts';
import { plan, usableNextKeys } from './plan.ts';
import { proveKey } from './prove-key.ts';
import { type RotationAction, subjectOf } from './rotation-action.ts';
import { PromotionRefusedError, PublicationRefusedError } from './rotation-errors.ts';
import type { Heartbeat, RotationState } from './rotation-state.ts';

/**
 * Maximum steps of one run. Creating a key and replacing another one take eight. When a run reaches
 * the limit, the next run continues.
 */
const maxSteps = 40;

/** A step that is due but must not be taken yet. */
export interface RefusedAction {
  readonly action: RotationAction;
  readonly error: Error;
}

/** The result of a run. */
export interface RunOutcome {
  readonly done: readonly RotationAction[];
  readonly refused: readonly RefusedAction[];
  /** The state after the run. */
  readonly state: RotationState;
}

/** Reads everything that a plan depends on. */
export async function readRotationState({
  ports,
  settings,
}: RotationContext): Promise<RotationState> {
  const [keys, intents, heartbeats, algorithmChoice] = await Promise.all([
    ports.store.listSigningKeys(),
    ports.store.listKeyIntents(),
    ports.store.listHeartbeats(),
    ports.store.findAlgorithmChoice(),
  ]);
  assertNoLaterRun(heartbeats, settings, ports.now());
  const signers = keys.filter(
    (key) =>
      key.regionId === settings.regionId && (key.state === 'current' || key.state === 'next'),
  );
  const usable = await Promise.all(signers.map((key) => isUsable(key, ports.keyManagement)));
  const unusableKids = new Set(signers.filter((_, at) => !usable[at]).map((key) => key.kid));
  return { keys, intents, heartbeats, algorithmChoice, unusableKids };
}

/** If a region has run later than now, one of the two clocks is wrong. */
function assertNoLaterRun(
  heartbeats: readonly Heartbeat[],
  { regionId, policy }: RotationContext['settings'],
  now: number,
): void {
  const later = heartbeats.find(
    (beat) => beat.regionId !== regionId && beat.at > now + policy.leeway,
  );
  if (later === undefined) return;
  throw new ClockError(
    `the clock of this function is ${later.at - now} s behind the last run of ${later.regionId}`,
  );
}

async function isUsable(key: SigningKey, keyManagement: KeyManagement): Promise<boolean> {
  const state = (await keyManagement.describeKey(key.kmsKeyArn))?.state;
  return state !== undefined && state !== 'disabled' && state !== 'pending_deletion';
}

/**
 * Takes every step that is due in a region, one at a time, and plans again after each. A refused
 * step waits for the next run; the other steps continue.
 */
export async function reconcile(context: RotationContext): Promise<RunOutcome> {
  const { ports, settings } = context;
  // The first read also returns the time that the clock is checked against.
  await readRotationState(context);
  await ports.store.putHeartbeat({ regionId: settings.regionId, at: ports.now() });
  const done: RotationAction[] = [];
  const refused: RefusedAction[] = [...(await watchPublication(context))];
  const isRefused = (action: RotationAction) =>
    refused.some(
      (one) => one.action.kind === action.kind && subjectOf(one.action) === subjectOf(action),
    );
  for (let step = 0; step < maxSteps; step += 1) {
    const state = await readRotationState(context);
    const action = plan(state, settings, ports.now()).find((due) => !isRefused(due));
    if (action === undefined) return { done, refused, state };
    try {
      if (action.kind === 'promote') await proveKey(action.key, state, context);
      await executeAction(action, context, state);
      done.push(action);
    } catch (error) {
      if (mustWait(action, error)) refused.push({ action, error });
      else if (!(error instanceof ConflictError)) throw error;
    }
  }
  return { done, refused, state: await readRotationState(context) };
}

/** A publisher that does not answer keeps no other step from being taken. */
function mustWait(action: RotationAction, error: unknown): error is Error {
  if (error instanceof PromotionRefusedError || error instanceof PublicationRefusedError)
    return true;
  return action.kind === 'publish' && error instanceof UnavailableError;
}

/**
 * Proves the keys that are not eligible yet. When a region does not serve a key, the key is refused
 * only after the expected lag.
 */
async function watchPublication(context: RotationContext): Promise<readonly RefusedAction[]> {
  const { ports, settings } = context;
  const state = await readRotationState(context);
  const now = ports.now();
  const waiting = usableNextKeys(state, settings).filter(
    (key) => now < eligibleAt(key, settings.policy),
  );
  const refused: RefusedAction[] = [];
  for (const key of waiting) {
    try {
      await proveKey(key, state, context);
    } catch (error) {
      if (error instanceof PromotionRefusedError) {
        const isLate = key.publishedAt + settings.policy.propagationLag <= now;
        if (isLate) refused.push({ action: { kind: 'promote', key }, error });
      } else if (!(error instanceof ConflictError)) throw error;
    }
  }
  return refused;
}
