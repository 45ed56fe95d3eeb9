import type { Alg } from '../../contract/signing-algorithms.ts';
import { InputError, RefusedError } from '../errors.ts';
import { executeAction, type RotationContext } from './execute-action.ts';
import { findSuccessor, usableNextKeys } from './plan.ts';
import { proveKey } from './prove-key.ts';
import { type RunOutcome, readRotationState, reconcile } from './reconcile.ts';
import { eligibleAt, type RotationState, wantedAlg } from './rotation-state.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * Rotates a region's key now rather than at the end of its period, or starts to move to another
 * algorithm: its key is published now and takes over by itself once every verifier knows it.
 *
 * @throws {RefusedError} where no published key may sign yet; it says when one may.
 * @throws {PromotionRefusedError} where a region does not verify the key that would take over.
 * @throws {InputError} where the deployment does not know the algorithm.
 */
export async function rotateKey(context: RotationContext, alg?: Alg): Promise<RunOutcome> {
  const { ports, settings } = context;
  const state = await readRotationState(context);
  if (alg !== undefined && alg !== wantedAlg(settings.algs, state.algorithmChoice)) {
    await chooseAlgorithm(alg, context);
    return reconcile(context);
  }
  const key = findSuccessor(state, settings, ports.now());
  if (key === undefined) throw new RefusedError(explainWait(state, context));
  await proveKey(key, ports);
  await executeAction({ kind: 'promote', key }, context, state);
  const outcome = await reconcile(context);
  return { ...outcome, done: [{ kind: 'promote', key }, ...outcome.done] };
}

async function chooseAlgorithm(alg: Alg, { ports, settings }: RotationContext): Promise<void> {
  const { algs } = settings;
  if (!algs.includes(alg)) {
    throw new InputError(
      `algorithm: received "${alg}"; allowed: ${algs.join(', ')}, the deployment config's signingAlgorithms`,
    );
  }
  await ports.store.putAlgorithmChoice({ alg, insteadOf: algs[0], chosenAt: ports.now() });
}

/** What a person must know who asked too early. */
export function explainWait(state: RotationState, { ports, settings }: RotationContext): string {
  const [key] = usableNextKeys(state, settings).toSorted(byEligibility(settings.policy));
  if (key === undefined) return `no key is published to take over in ${settings.regionId} yet`;
  const at = eligibleAt(key, settings.policy);
  const wait = Math.max(0, at - ports.now());
  return `the next key of ${settings.regionId}, ${key.kid}, may sign from ${new Date(at * 1000).toISOString()} on, in ${wait} s: until then a verifier may not know it`;
}

function byEligibility(policy: RotationContext['settings']['policy']) {
  return (a: SigningKey, b: SigningKey) => eligibleAt(a, policy) - eligibleAt(b, policy);
}
