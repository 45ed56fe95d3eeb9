import { explainFullJwks, findJwksRoom } from './jwks-room.ts';
import { explainHold, findSuccessor, isDue, usableNextKeys } from './plan.ts';
import {
  findCurrentKey,
  type RotationSettings,
  type RotationState,
  wantedAlg,
} from './rotation-state.ts';

/**
 * The steps that a region's rotation postpones because the region's share of the JWKS is full.
 *
 * @param now seconds since the epoch.
 * @returns undefined if nothing waits for room.
 */
export function explainWaitForRoom(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): string | undefined {
  const room = findJwksRoom(state.keys, settings);
  if (!room.isFull) return undefined;
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  if (!usableNextKeys(state, settings).some((key) => key.alg === alg)) {
    return `the next ${alg} key is not published yet: ${explainFullJwks(room, settings.regionId)}`;
  }
  const current = findCurrentKey(state.keys, settings.regionId);
  if (!isDue(current, state, settings, now)) return undefined;
  const successor = findSuccessor(state, settings, now);
  return successor && explainHold(successor, state, settings);
}

/** Whether a region has no key for an emergency, and no room to publish one. */
export function lacksNextKey(state: RotationState, settings: RotationSettings): boolean {
  const { isFull } = findJwksRoom(state.keys, settings);
  return isFull && usableNextKeys(state, settings).length === 0;
}
