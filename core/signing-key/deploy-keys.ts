import { SigningKeyUnusableError, UnavailableError } from '../errors.ts';
import type { RotationContext } from './execute-action.ts';
import { type RunOutcome, reconcile } from './reconcile.ts';
import { findCurrentKey } from './rotation-state.ts';

/** The state of a region after its deployment. */
export interface DeployedKeys {
  /** `signing`: a key signs. `waiting`: one is published and verifiers are learning it. */
  readonly status: 'signing' | 'waiting';
  readonly outcome: RunOutcome;
}

/** How a deployment waits for what it needs. */
export interface DeploymentWait {
  /**
   * Resolves when it is time to look again.
   *
   * @param reason why the deployment waits.
   * @throws {Error} with the reason, if no time is left.
   */
  readonly pause: (reason: string) => Promise<void>;
  /**
   * @returns what is missing, if AWS refused a call for lack of a permission; undefined for any
   *   other error.
   */
  readonly describeDenial: (error: unknown) => string | undefined;
}

/**
 * Makes sure that a region has a signing key. If other regions sign already, the key is published
 * and waits for its time. The call is repeated while KMS does not know a new key yet, while another
 * run makes one, and while a permission is missing: the policies of a new role count in every
 * place only after seconds or minutes.
 *
 * @throws whatever `pause` throws.
 */
export async function deployKeys(
  context: RotationContext,
  { pause, describeDenial }: DeploymentWait,
): Promise<DeployedKeys> {
  for (;;) {
    let reason = 'another run is making the key';
    try {
      const outcome = await reconcile(context);
      const status = findStatus(outcome, context);
      if (status !== undefined) return { status, outcome };
    } catch (error) {
      const passing = describeDenial(error) ?? describeOutage(error);
      if (passing === undefined) throw error;
      reason = passing;
    }
    await pause(reason);
  }
}

function describeOutage(error: unknown): string | undefined {
  const passes = error instanceof UnavailableError || error instanceof SigningKeyUnusableError;
  return passes ? error.message : undefined;
}

function findStatus(
  { state }: RunOutcome,
  { settings }: RotationContext,
): DeployedKeys['status'] | undefined {
  const { keys, unusableKids } = state;
  const current = findCurrentKey(keys, settings.regionId);
  if (current !== undefined && !unusableKids.has(current.kid)) return 'signing';
  // A region that is replaced has a current key in a KMS that it does not reach.
  const waits = keys.some((key) => key.regionId === settings.regionId && key.state === 'next');
  return waits ? 'waiting' : undefined;
}
