import { SigningKeyUnusableError, UnavailableError } from '../errors.ts';
import type { RotationContext } from './execute-action.ts';
import { type RunOutcome, reconcile } from './reconcile.ts';
import { findCurrentKey } from './rotation-state.ts';

/** Where a region stands after its deployment. */
export interface DeployedKeys {
  /** `signing`: a key signs. `waiting`: one is published and verifiers are learning it. */
  readonly status: 'signing' | 'waiting';
  readonly outcome: RunOutcome;
}

/**
 * Makes sure that a region has a signing key, or, where other regions sign already, that one is
 * published and waits for its time. It tries again while KMS does not know a new key yet and while
 * another run makes one.
 *
 * @param pause resolves when it is time to look again; rejects when there is no time left.
 * @throws whatever `pause` rejects with, its cause being the last trouble.
 */
export async function deployKeys(
  context: RotationContext,
  pause: (reason: string) => Promise<void>,
): Promise<DeployedKeys> {
  for (;;) {
    let reason = 'another run is making the key';
    try {
      const outcome = await reconcile(context);
      const status = findStatus(outcome, context);
      if (status !== undefined) return { status, outcome };
    } catch (error) {
      const passes = error instanceof UnavailableError || error instanceof SigningKeyUnusableError;
      if (!passes) throw error;
      reason = error.message;
    }
    await pause(reason);
  }
}

function findStatus(
  { state }: RunOutcome,
  { settings }: RotationContext,
): DeployedKeys['status'] | undefined {
  if (findCurrentKey(state.keys, settings.regionId) !== undefined) return 'signing';
  const waits = state.keys.some(
    (key) => key.regionId === settings.regionId && key.state === 'next',
  );
  return waits ? 'waiting' : undefined;
}
