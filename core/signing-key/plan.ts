import { eligibleAt } from './eligibility.ts';
import { planCreation } from './plan-creation.ts';
import type { RotationAction } from './rotation-action.ts';
import {
  findCurrentKey,
  type RotationSettings,
  type RotationState,
  wantedAlg,
} from './rotation-state.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * What is due for a region's signing keys. It looks only at the state and the clock, and never at
 * what was done before, so that a missed, repeated or interrupted run changes nothing about the
 * outcome. The first action is the most urgent one; after it, read the state and plan anew.
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

/** `next` keys that KMS can sign with, the longest published first. */
export function usableNextKeys(
  state: RotationState,
  settings: RotationSettings,
): readonly SigningKey[] {
  return keysIn(state, settings, 'next')
    .filter((key) => !state.unusableKids.has(key.kid))
    .toSorted((a, b) => a.publishedAt - b.publishedAt || (a.kid < b.kid ? -1 : 1));
}

/**
 * Keys that must not sign (any more): a `current` key next to a newer one, and a `next` key that
 * another has made superfluous. All stay published for the retention time, as any of them may
 * have signed.
 */
function planRetirement(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): readonly RotationAction[] {
  const current = findCurrentKey(state.keys, settings.regionId);
  const replaced = keysIn(state, settings, 'current').filter((key) => key !== current);
  const broken = keysIn(state, settings, 'next').filter((key) => state.unusableKids.has(key.kid));
  const usable = usableNextKeys(state, settings);
  const wanted = usable.filter(
    (key) => key.alg === wantedAlg(settings.algs, state.algorithmChoice),
  );
  const [kept, ...duplicates] = wanted;
  // A key of the former algorithm can take over in an emergency until the new one can.
  const former =
    kept !== undefined && eligibleAt(kept, settings.policy) <= now
      ? usable.filter((key) => !wanted.includes(key))
      : [];
  return [
    ...replaced.map((key) => ({ kind: 'retire', key, reason: 'replaced' }) as const),
    ...broken.map((key) => ({ kind: 'retire', key, reason: 'unusable' }) as const),
    ...[...duplicates, ...former].map(
      (key) => ({ kind: 'retire', key, reason: 'superseded' }) as const,
    ),
  ];
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

/**
 * The key that takes over: an eligible one of the wanted algorithm. Without a key that can sign, an eligible
 * one of the former algorithm does.
 */
export function findSuccessor(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): SigningKey | undefined {
  const eligible = usableNextKeys(state, settings).filter(
    (key) => eligibleAt(key, settings.policy) <= now,
  );
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  const wanted = eligible.find((key) => key.alg === alg);
  if (wanted !== undefined) return wanted;
  const current = findCurrentKey(state.keys, settings.regionId);
  const canSign = current !== undefined && !state.unusableKids.has(current.kid);
  return canSign ? undefined : eligible[0];
}

function planPromotion(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): readonly RotationAction[] {
  const current = findCurrentKey(state.keys, settings.regionId);
  if (!isDue(current, state, settings, now)) return [];
  const key = findSuccessor(state, settings, now);
  return key === undefined ? [] : [{ kind: 'promote', key }];
}

/** What follows a key's last signature, each step at the time that the step before recorded. */
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
