import type { Alg } from '../../contract/signing-algorithms.ts';
import { InputError, RefusedError } from '../errors.ts';
import { byEligibility, earliestEligibleAt } from '../signing-key/eligibility.ts';
import { executeAction, type RotationContext } from './execute-action.ts';
import { explainFullJwks, findJwksRoom } from './jwks-room.ts';
import { explainHold, findSuccessor, usableNextKeys } from './plan.ts';
import { proveKey } from './prove-key.ts';
import { type RunOutcome, readRotationState, reconcile } from './reconcile.ts';
import { type RotationState, wantedAlg } from './rotation-state.ts';

/**
 * Rotates a region's key now instead of at the end of its period, or starts the move to another
 * algorithm: a key with it is published now, and signs when every verifier knows it.
 *
 * @throws {RefusedError} if no published key may sign yet. The message says when one may.
 * @throws {PromotionRefusedError} if a region does not verify the key that would sign next.
 * @throws {InputError} if the deployment does not know the algorithm.
 */
export async function rotateKey(context: RotationContext, alg?: Alg): Promise<RunOutcome> {
  const { ports, settings } = context;
  const state = await readRotationState(context);
  if (alg !== undefined && alg !== wantedAlg(settings.algs, state.algorithmChoice)) {
    await chooseAlgorithm(alg, context);
    return reconcile(context);
  }
  const key = findSuccessor(state, settings, ports.now());
  if (key === undefined) return rotateIfDue(context);
  const hold = explainHold(key, state, settings);
  if (hold !== undefined) throw new RefusedError(hold);
  await proveKey(key, state, context);
  await executeAction({ kind: 'promote', key }, context, state);
  const outcome = await reconcile(context);
  return { ...outcome, done: [{ kind: 'promote', key }, ...outcome.done] };
}

/** A run can prove the waiting key, and can find that a promotion is due. */
async function rotateIfDue(context: RotationContext): Promise<RunOutcome> {
  const outcome = await reconcile(context);
  if (outcome.done.some(({ kind }) => kind === 'promote')) return outcome;
  throw new RefusedError(explainWait(outcome.state, context));
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

/** The explanation for an operator who asked too early. */
export function explainWait(state: RotationState, { ports, settings }: RotationContext): string {
  const { policy, regionId } = settings;
  const [key] = usableNextKeys(state, settings).toSorted(byEligibility(policy));
  if (key === undefined) {
    const room = findJwksRoom(state.keys, settings);
    const why = room.isFull ? `: ${explainFullJwks(room, regionId)}` : ' yet';
    return `no key is published to take over in ${regionId}${why}`;
  }
  const now = ports.now();
  const at = earliestEligibleAt(key, policy, now);
  const when = `${new Date(at * 1000).toISOString()} on, in ${Math.max(0, at - now)} s`;
  return key.provedAt === undefined
    ? `the next key of ${regionId}, ${key.kid}, may sign from ${when} at the earliest: every region must serve it and then run its rotation before the lead begins`
    : `the next key of ${regionId}, ${key.kid}, may sign from ${when}: until then a verifier may not know it`;
}
