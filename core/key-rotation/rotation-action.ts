import type { Alg } from '../../contract/signing-algorithms.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import type { KeyIntent, KeySlot } from './rotation-state.ts';

/** Why a key stops signing, or never signs. */
export type RetirementReason = 'replaced' | 'superseded' | 'unusable';

/**
 * One step of a key's life cycle. Each is one conditional write, with at most one call to KMS
 * before it. When a run crashes after any step, the same plan continues from the state that it
 * left.
 */
export type RotationAction =
  /** Records that a key is about to be created. */
  | {
      readonly kind: 'open_intent';
      readonly slot: KeySlot;
      readonly alg: Alg;
      /** The slot's last intent, which this one follows. */
      readonly last: KeyIntent | undefined;
    }
  /** Takes an intent over from a run whose lease is over. */
  | { readonly kind: 'take_over_intent'; readonly intent: KeyIntent; readonly alg: Alg }
  /** Creates the key in KMS, or adopts one that a crash left behind. */
  | { readonly kind: 'create_key'; readonly intent: KeyIntent }
  /** Reads the public half of the new key. */
  | { readonly kind: 'read_public_key'; readonly intent: KeyIntent }
  /** Puts the key into the JWKS. */
  | { readonly kind: 'publish'; readonly intent: KeyIntent }
  /** Frees the slot of a published key. */
  | { readonly kind: 'close_intent'; readonly intent: KeyIntent }
  /** `next → current`: the key signs from now on. */
  | { readonly kind: 'promote'; readonly key: SigningKey }
  /** `current → previous` (or `next → previous`): the key is still published. */
  | { readonly kind: 'retire'; readonly key: SigningKey; readonly reason: RetirementReason }
  /** `previous → withdrawn`: no JWKS contains the key any more. In an emergency, from any state. */
  | { readonly kind: 'withdraw'; readonly key: SigningKey; readonly emergency?: true }
  /** `withdrawn → disabled`, in KMS first. */
  | { readonly kind: 'disable'; readonly key: SigningKey }
  /** `disabled → deletion_scheduled`, in KMS first. */
  | { readonly kind: 'schedule_deletion'; readonly key: SigningKey };

export type RotationActionKind = RotationAction['kind'];

/** Id of what an action changes: a kid, or the intent's slot if there is no key yet. */
export function subjectOf(action: RotationAction): string {
  if ('key' in action) return action.key.kid;
  if ('intent' in action) return action.intent.publicJwk?.kid ?? action.intent.intentId;
  return action.slot;
}
