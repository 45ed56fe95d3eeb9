import { findJwksRoom } from './jwks-room.ts';
import type { RotationAction } from './rotation-action.ts';
import {
  type KeyIntent,
  type KeySlot,
  type RotationSettings,
  type RotationState,
  wantedAlg,
} from './rotation-state.ts';

/**
 * The next step towards a published `next` key when a region lacks one.
 *
 * The issuer's first key signs at once, because no verifier can hold an older set. It has a slot
 * that all regions share, and no region publishes another key before it: a verifier must never see
 * a set without the first key.
 */
export function planCreation(
  state: RotationState,
  settings: RotationSettings,
  now: number,
): readonly RotationAction[] {
  const first = findIntent(state, 'first');
  const firstIsPublished = first === undefined ? state.keys.length > 0 : isRecorded(state, first);
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  if (!firstIsPublished) {
    if (first !== undefined) return advance(state, settings, now, first);
    return [{ kind: 'open_intent', slot: 'first', alg, last: undefined }];
  }

  const own = findIntent(state, settings.regionId);
  if (own?.closed === false) return advance(state, settings, now, own);
  const hasNext = state.keys.some(
    (key) =>
      key.regionId === settings.regionId &&
      key.state === 'next' &&
      key.alg === alg &&
      !state.unusableKids.has(key.kid),
  );
  if (hasNext || findJwksRoom(state.keys, settings).isFull) return [];
  return [{ kind: 'open_intent', slot: settings.regionId, alg, last: own }];
}

function findIntent(state: RotationState, slot: KeySlot): KeyIntent | undefined {
  return state.intents.find((intent) => intent.slot === slot);
}

function isRecorded(state: RotationState, intent: KeyIntent): boolean {
  return state.keys.some((key) => key.kid === intent.publicJwk?.kid);
}

/**
 * When another run may take an intent over. A key that is about to be published keeps other regions
 * out for longer: its publication begins until L after the lease, by a clock that may be L behind, and
 * is a write, which takes G at most.
 */
function freeAt(intent: KeyIntent, { regionId, policy }: RotationSettings): number {
  const isAboutToBePublished = intent.publicJwk !== undefined && intent.regionId !== regionId;
  return intent.leaseUntil + (isAboutToBePublished ? policy.propagationLag + 2 * policy.leeway : 0);
}

/** The next step of an intent; none while another run holds it. */
function advance(
  state: RotationState,
  settings: RotationSettings,
  now: number,
  intent: KeyIntent,
): readonly RotationAction[] {
  if (isRecorded(state, intent)) return [{ kind: 'close_intent', intent }];
  const { publicJwk, regionId, holder, kmsKeyArn } = intent;
  const isMade = publicJwk !== undefined && regionId === settings.regionId;
  if (isMade && findJwksRoom(state.keys, settings).isFull) return [];
  if (freeAt(intent, settings) <= now) {
    const alg = wantedAlg(settings.algs, state.algorithmChoice);
    return [{ kind: 'take_over_intent', intent, alg }];
  }
  // Only the region that made a key can look at it before it is published.
  if (isMade) return [{ kind: 'publish', intent }];
  if (holder !== settings.runId) return [];
  return [{ kind: kmsKeyArn === undefined ? 'create_key' : 'read_public_key', intent }];
}
