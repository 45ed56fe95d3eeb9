import { SigningKeyUnusableError, UnavailableError } from '../errors.ts';
import type { RotationContext } from './execute-action.ts';
import { type RunOutcome, reconcile } from './reconcile.ts';
import { PublicationRefusedError } from './rotation-errors.ts';
import { findCurrentKey } from './rotation-state.ts';

/** The state of a region after its deployment. */
export interface DeployedKeys {
  /** `signing`: a key signs. `waiting`: one is published and verifiers are learning it. */
  readonly status: 'signing' | 'waiting';
  readonly outcome: RunOutcome;
}

/** How a deployment waits. */
export interface DeploymentWait {
  /**
   * Resolves when it is time to try again.
   *
   * @param reason why the deployment waits.
   * @throws {Error} with the reason if no time is left.
   */
  readonly pause: (reason: string) => Promise<void>;
  /**
   * @returns what is missing, if AWS refused a call for lack of a permission; undefined for any
   *   other error.
   */
  readonly describeDenial: (error: unknown) => string | undefined;
}

/**
 * Ensures that a region has a signing key. If other regions already sign, the key is published and
 * waits for its promotion. The call is repeated while KMS cannot read a new key, while another run
 * creates one, and while a permission is missing: when a role is new, its policies take seconds or
 * minutes to have an effect everywhere.
 *
 * @throws whatever `pause` throws.
 */
export async function deployKeys(
  context: RotationContext,
  { pause, describeDenial }: DeploymentWait,
): Promise<DeployedKeys> {
  for (;;) {
    let reason = 'another run is creating the key';
    try {
      const outcome = await reconcile(context);
      const status = findStatus(outcome, context);
      if (status !== undefined) return { status, outcome };
      reason = findObstacle(outcome) ?? reason;
    } catch (error) {
      const passing = describeDenial(error) ?? describeOutage(error);
      if (passing === undefined) throw error;
      reason = passing;
    }
    await pause(reason);
  }
}

/**
 * Why the key is not published yet.
 *
 * @throws {PublicationRefusedError} if a key was refused: the next one would be as well.
 */
function findObstacle({ refused }: RunOutcome): string | undefined {
  for (const { error } of refused) if (error instanceof PublicationRefusedError) throw error;
  return refused.find(({ action }) => action.kind === 'publish')?.error.message;
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
  // A region that is replaced has a current key in another region's KMS, which it cannot call.
  const waits = keys.some((key) => key.regionId === settings.regionId && key.state === 'next');
  return waits ? 'waiting' : undefined;
}
