import { ConflictError, InputError, RefusedError } from '../errors.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { executeAction, type RotationContext } from './execute-action.ts';
import { findEligibleKeys, usableNextKeys } from './plan.ts';
import { type RunOutcome, readRotationState, reconcile } from './reconcile.ts';
import { explainWait } from './rotate-key.ts';
import type { RotationAction } from './rotation-action.ts';
import type { RotationState } from './rotation-state.ts';

export interface WithdrawalRequest {
  readonly kid: string;
  /** Withdraws a key that is in use, with every token that it signed. */
  readonly emergency: boolean;
  /** Lets the next key sign even if some verifiers may not know it yet. */
  readonly activateEarly: boolean;
}

/** How often another run may be faster. Each time, that run has taken a step. */
const maxAttempts = 10;

/**
 * Takes a key out of the JWKS and has KMS disable it. If the key signs, the next key is promoted
 * first, without a new proof: a slow region must not delay the removal of a compromised key.
 *
 * @throws {RetainedKeyError} if the key is in use and this is not an emergency.
 * @throws {RefusedError} if it signs and no other key may. The message says when one may.
 * @throws {InputError} if this region has no such key.
 */
export async function withdrawKey(
  context: RotationContext,
  request: WithdrawalRequest,
): Promise<RunOutcome> {
  const done: RotationAction[] = [];
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const state = await readRotationState(context);
    const action = nextStep(state, context, request);
    if (action === undefined) {
      const outcome = await reconcile(context);
      return { ...outcome, done: [...done, ...outcome.done] };
    }
    try {
      await executeAction(action, context, state);
      done.push(action);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
  throw new RefusedError(`${request.kid} is being changed by other runs, try again`);
}

/** The next step; none when the key is out of use. */
function nextStep(
  state: RotationState,
  context: RotationContext,
  request: WithdrawalRequest,
): RotationAction | undefined {
  const { settings, ports } = context;
  const key = findOwnKey(state, context, request.kid);
  if (key.state === 'disabled' || key.state === 'deletion_scheduled') return undefined;
  if (!request.emergency) {
    return key.state === 'withdrawn' ? undefined : { kind: 'withdraw', key };
  }
  if (key.state === 'withdrawn') {
    const isDue = key.disableAt !== undefined && key.disableAt <= ports.now();
    return isDue ? { kind: 'disable', key } : { kind: 'withdraw', key, emergency: true };
  }
  const isReplaced = state.keys.some(
    (other) => other.regionId === settings.regionId && other.state === 'current' && other !== key,
  );
  if (key.state !== 'current' || isReplaced) return { kind: 'withdraw', key, emergency: true };
  return { kind: 'promote', key: findReplacement(state, context, request) };
}

function findOwnKey(state: RotationState, { settings }: RotationContext, kid: string): SigningKey {
  const key = state.keys.find((candidate) => candidate.kid === kid);
  if (key?.regionId === settings.regionId) return key;
  const where = key === undefined ? 'no region has it' : `it is of region ${key.regionId}`;
  throw new InputError(`kid: received "${kid}"; allowed: a key of ${settings.regionId}; ${where}`);
}

function findReplacement(
  state: RotationState,
  context: RotationContext,
  { kid, activateEarly }: WithdrawalRequest,
): SigningKey {
  const { settings, ports } = context;
  const [eligible] = findEligibleKeys(state, settings, ports.now());
  const [early] = activateEarly ? usableNextKeys(state, settings) : [];
  const replacement = eligible ?? early;
  if (replacement !== undefined) return replacement;
  throw new RefusedError(
    `${kid} signs and no other key may replace it: ${explainWait(state, context)}`,
  );
}
