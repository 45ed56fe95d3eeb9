import { byEligibility, eligibleAt } from '../signing-key/eligibility.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { explainFullJwks, findJwksRoom } from './jwks-room.ts';
import { planCreation } from './plan-creation.ts';
import type { RotationAction } from './rotation-action.ts';
import {
  findCurrentKey,
  type RotationSettings,
  type RotationState,
  wantedAlg,
} from './rotation-state.ts';

/**
 * What is due for a region's signing keys. It depends only on the state and the clock, never on
 * what was done before. When a run is missed, repeated or interrupted, the outcome stays the same.
 * The first action is the most urgent one; after it, read the state and plan again.
 *
 * @param now seconds since the epoch.
 */
export function plan(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): readonly RotationAction[] {
  return [
    ...planRetirement(state, settings, now),
    ...planPromotion(state, settings, now),
    ...planCreation(state, settings, now),
    ...planRemoval(state, settings, now),
  ];
}

function keysIn(
  state: RotationState,
  settings: RotationSettings,
  keyState: SigningKey['state'],
): readonly SigningKey[] {
  return state.keys.filter((key) => key.regionId === settings.regionId && key.state === keyState);
}

/**
 * `next` keys that KMS can sign with, the longest published first. A key whose algorithm left the
 * config is not one of them: no role may sign with it.
 */
export function usableNextKeys(
  state: RotationState,
  settings: RotationSettings,
): readonly SigningKey[] {
  return keysIn(state, settings, 'next')
    .filter((key) => !state.unusableKids.has(key.kid) && settings.algs.includes(key.alg))
    .toSorted((a, b) => a.publishedAt - b.publishedAt || (a.kid < b.kid ? -1 : 1));
}

/**
 * Keys that must not sign (any more): a `current` key next to a newer one, a `next` key that KMS
 * refuses, and a `next` key that another, or the config, has made superfluous. All stay published for the retention
 * time, because any of them may have signed.
 */
function planRetirement(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): readonly RotationAction[] {
  const current = findCurrentKey(state.keys, settings.regionId);
  const replaced = keysIn(state, settings, 'current').filter((key) => key !== current);
  const next = keysIn(state, settings, 'next');
  const broken = next.filter((key) => state.unusableKids.has(key.kid));
  const kept = findKeptNextKeys(state, settings, now);
  const superseded = next.filter((key) => !broken.includes(key) && !kept.includes(key));
  return [
    ...replaced.map((key) => ({ kind: 'retire', key, reason: 'replaced' }) as const),
    ...broken.map((key) => ({ kind: 'retire', key, reason: 'unusable' }) as const),
    ...superseded.map((key) => ({ kind: 'retire', key, reason: 'superseded' }) as const),
  ];
}

/**
 * The `next` key of the wanted algorithm, and one of a former algorithm for an emergency. The former
 * one is kept until the region signs with the wanted algorithm and the key after that is eligible.
 */
function findKeptNextKeys(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): readonly SigningKey[] {
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  const usable = usableNextKeys(state, settings).toSorted(byEligibility(settings.policy));
  const wanted = usable.find((key) => key.alg === alg);
  const former = usable.find((key) => key.alg !== alg);
  const current = findCurrentKey(state.keys, settings.regionId);
  const isMoved = current?.alg === alg && canSign(state, settings);
  const hasWanted = wanted !== undefined && eligibleAt(wanted, settings.policy) <= now;
  return [wanted, isMoved && hasWanted ? undefined : former].filter((key) => key !== undefined);
}

/** Whether a region's signing key should make room for the next. */
export function isDue(
  current: SigningKey | undefined,
  state: RotationState,
  settings: RotationSettings,
  now: number,
): boolean {
  if (current?.activatedAt === undefined || state.unusableKids.has(current.kid)) return true;
  if (current.alg !== wantedAlg(settings.algs, state.algorithmChoice)) return true;
  return current.activatedAt + settings.policy.rotationPeriod <= now;
}

/** The key that signs next, see {@link findSuccessors}. */
export function findSuccessor(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): SigningKey | undefined {
  return findSuccessors(state, settings, now)[0];
}

/**
 * The keys that may sign next: an eligible one of the wanted algorithm. If the region has no key
 * that can sign, all eligible ones: the proof of the first may be refused, for example because a
 * region with a former config does not list its algorithm.
 */
function findSuccessors(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): readonly SigningKey[] {
  const eligible = findEligibleKeys(state, settings, now);
  if (!canSign(state, settings)) return eligible;
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  return eligible.filter((key) => key.alg === alg).slice(0, 1);
}

/** `next` keys that may sign now, those of the wanted algorithm first. */
export function findEligibleKeys(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): readonly SigningKey[] {
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  return usableNextKeys(state, settings)
    .filter((key) => eligibleAt(key, settings.policy) <= now)
    .toSorted((a, b) => Number(b.alg === alg) - Number(a.alg === alg));
}

function canSign(state: RotationState, settings: RotationSettings): boolean {
  const current = findCurrentKey(state.keys, settings.regionId);
  return current !== undefined && !state.unusableKids.has(current.kid);
}

/**
 * Why a promotion must wait although the key is eligible: the region would have no `next` key, and
 * the JWKS has no room for another.
 *
 * @returns undefined if it need not wait.
 */
export function explainHold(
  key: SigningKey,
  state: RotationState,
  settings: RotationSettings,
): string | undefined {
  const room = findJwksRoom(state.keys, settings);
  const hasOther = usableNextKeys(state, settings).some((other) => other !== key);
  if (!room.isFull || hasOther || !canSign(state, settings)) return undefined;
  return `${key.kid} may sign, but there is no room for the key after it: ${explainFullJwks(room, settings.regionId)}`;
}

function planPromotion(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): readonly RotationAction[] {
  const current = findCurrentKey(state.keys, settings.regionId);
  if (!isDue(current, state, settings, now)) return [];
  return findSuccessors(state, settings, now)
    .filter((key) => explainHold(key, state, settings) === undefined)
    .map((key) => ({ kind: 'promote', key }));
}

/** The steps after a key's last signature, each at the time that the previous step recorded. */
function planRemoval(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): readonly RotationAction[] {
  const isOver = (time: number | undefined) => time !== undefined && time <= now;
  const deletable = (key: SigningKey) =>
    key.disabledAt !== undefined && key.disabledAt + settings.policy.deletionDelay <= now;
  return [
    ...keysIn(state, settings, 'previous')
      .filter((key) => isOver(key.withdrawAt))
      .map((key) => ({ kind: 'withdraw', key }) as const),
    ...keysIn(state, settings, 'withdrawn')
      .filter((key) => isOver(key.disableAt))
      .map((key) => ({ kind: 'disable', key }) as const),
    ...keysIn(state, settings, 'disabled')
      .filter(deletable)
      .map((key) => ({ kind: 'schedule_deletion', key }) as const),
  ];
}
