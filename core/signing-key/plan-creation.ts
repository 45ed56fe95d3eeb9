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

/** The next step of an intent; none while another run holds it. */
function advance(
  state: RotationState,
  settings: RotationSettings,
  now: number,
  intent: KeyIntent,
): readonly RotationAction[] {
  if (intent.publicJwk !== undefined) {
    if (isRecorded(state, intent)) return [{ kind: 'close_intent', intent }];
    const { regionId } = intent;
    const { isFull } = findJwksRoom(state.keys, { ...settings, regionId });
    return isFull ? [] : [{ kind: 'publish', intent }];
  }
  if (intent.holder === settings.runId) {
    return [{ kind: intent.kmsKeyArn === undefined ? 'create_key' : 'read_public_key', intent }];
  }
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  return intent.leaseUntil <= now ? [{ kind: 'take_over_intent', intent, alg }] : [];
}
