import type { RegionId } from '../../contract/regions.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import { keysOfRegionInJwks, type SigningKeyPolicy } from '../../contract/signing-key-policy.ts';
import { byEligibility, eligibleAt } from '../signing-key/select-signing-key.ts';
import type { SigningKey, SigningKeyState } from '../signing-key/signing-key.ts';
import { formatTime } from '../time.ts';
import {
  type AlgorithmChoice,
  type KeyIntent,
  type KeySlot,
  RetainedKeyError,
  type RotationSettings,
  type RotationState,
} from './rotation-ports.ts';
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
  const situation = { state, settings, now };
  return [
    ...planRetirement(situation),
    ...planPromotion(situation),
    ...planCreation(situation),
    ...planRemoval(situation),
  ];
}

/** A region, and what is known of it. */
interface KnownRegion {
  readonly state: RotationState;
  readonly settings: RotationSettings;
}

/** The same at a time, in seconds since the epoch. */
interface Situation extends KnownRegion {
  readonly now: number;
}

function keysIn({ state, settings }: KnownRegion, keyState: SigningKeyState) {
  return state.keys.filter((key) => key.regionId === settings.regionId && key.state === keyState);
}

/**
 * `next` keys that KMS can sign with, the longest published first. A key whose algorithm left the
 * config is not one of them: no role may sign with it.
 */
export function usableNextKeys(region: KnownRegion): readonly SigningKey[] {
  const { state, settings } = region;
  return keysIn(region, 'next')
    .filter((key) => !state.unusableKids.has(key.kid) && settings.algs.includes(key.alg))
    .toSorted((a, b) => a.publishedAt - b.publishedAt || (a.kid < b.kid ? -1 : 1));
}

/**
 * Keys that must not sign (any more): a `current` key next to a newer one, a `next` key that KMS
 * refuses, and a `next` key that another, or the config, has made superfluous. All stay published
 * for the retention time, because any of them may have signed.
 */
function planRetirement(situation: Situation): readonly RotationAction[] {
  const { state, settings } = situation;
  const current = findCurrentKey(state.keys, settings.regionId);
  const replaced = keysIn(situation, 'current').filter((key) => key !== current);
  const next = keysIn(situation, 'next');
  const broken = next.filter((key) => state.unusableKids.has(key.kid));
  const kept = findKeptNextKeys(situation);
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
function findKeptNextKeys(situation: Situation): readonly SigningKey[] {
  const { state, settings, now } = situation;
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  const usable = usableNextKeys(situation).toSorted(byEligibility(settings.policy));
  const next = usable.find((key) => key.alg === alg);
  const former = usable.find((key) => key.alg !== alg);
  const current = findCurrentKey(state.keys, settings.regionId);
  const isMoved = current?.alg === alg && canSign(situation);
  const isNextEligible = next !== undefined && eligibleAt(next, settings.policy) <= now;
  return [next, isMoved && isNextEligible ? undefined : former].filter((key) => key !== undefined);
}

/** Whether a region's signing key should make room for the next. */
export function isDue(
  current: SigningKey | undefined,
  { state, settings, now }: Situation,
): boolean {
  if (current?.activatedAt === undefined || state.unusableKids.has(current.kid)) return true;
  if (current.alg !== wantedAlg(settings.algs, state.algorithmChoice)) return true;
  return current.activatedAt + settings.policy.rotationPeriod <= now;
}

/** The key that signs next, see {@link findSuccessors}. */
export function findSuccessor(situation: Situation): SigningKey | undefined {
  return findSuccessors(situation)[0];
}

/**
 * The keys that may sign next: an eligible one of the wanted algorithm. If the region has no key
 * that can sign, all eligible ones: the proof of the first may be refused, for example because a
 * region with a former config does not list its algorithm.
 */
function findSuccessors(situation: Situation): readonly SigningKey[] {
  const { state, settings } = situation;
  const eligible = findEligibleKeys(situation);
  if (!canSign(situation)) return eligible;
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  return eligible.filter((key) => key.alg === alg).slice(0, 1);
}

/** `next` keys that may sign now, those of the wanted algorithm first. */
export function findEligibleKeys(situation: Situation): readonly SigningKey[] {
  const { state, settings, now } = situation;
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  return usableNextKeys(situation)
    .filter((key) => eligibleAt(key, settings.policy) <= now)
    .toSorted((a, b) => Number(b.alg === alg) - Number(a.alg === alg));
}

function canSign({ state, settings }: KnownRegion): boolean {
  const current = findCurrentKey(state.keys, settings.regionId);
  return current !== undefined && !state.unusableKids.has(current.kid);
}

/**
 * Why a promotion must wait although the key is eligible: the region would have no `next` key, and
 * the JWKS has no room for another.
 *
 * @returns undefined if it need not wait.
 */
export function explainHold(key: SigningKey, region: KnownRegion): string | undefined {
  const { state, settings } = region;
  const room = findJwksRoom(state.keys, settings);
  const hasOther = usableNextKeys(region).some((other) => other !== key);
  if (!room.isFull || hasOther || !canSign(region)) return undefined;
  return `${key.kid} may sign, but there is no room for the key after it: ${explainFullJwks(room, settings.regionId)}`;
}

function planPromotion(situation: Situation): readonly RotationAction[] {
  const { state, settings } = situation;
  const current = findCurrentKey(state.keys, settings.regionId);
  if (!isDue(current, situation)) return [];
  return findSuccessors(situation)
    .filter((key) => explainHold(key, situation) === undefined)
    .map((key) => ({ kind: 'promote', key }));
}

type RemovalKind = 'withdraw' | 'disable' | 'schedule_deletion';

interface Removal {
  readonly from: SigningKeyState;
  /** When no token of the key can be valid any more, or no cache can hold it; undefined: never. */
  readonly dueAt: (key: SigningKey, policy: SigningKeyPolicy) => number | undefined;
  /** In messages. */
  readonly done: string;
}

/** The steps after a key's last signature, each at the time that the previous step recorded. */
const removals: Readonly<Record<RemovalKind, Removal>> = {
  withdraw: { from: 'previous', dueAt: ({ withdrawAt }) => withdrawAt, done: 'withdrawn' },
  disable: { from: 'withdrawn', dueAt: ({ disableAt }) => disableAt, done: 'disabled' },
  schedule_deletion: {
    from: 'disabled',
    dueAt: ({ disabledAt }, { deletionDelay }) =>
      disabledAt === undefined ? undefined : disabledAt + deletionDelay,
    done: 'deleted',
  },
};

function isOver(time: number | undefined, now: number): boolean {
  return time !== undefined && time <= now;
}

function planRemoval(situation: Situation): readonly RotationAction[] {
  const { settings, now } = situation;
  return (Object.keys(removals) as RemovalKind[]).flatMap((kind) => {
    const { from, dueAt } = removals[kind];
    const due = keysIn(situation, from).filter((key) => isOver(dueAt(key, settings.policy), now));
    return due.map((key) => ({ kind, key }));
  });
}

/**
 * The last check before a key goes one step further out of use, as planned.
 *
 * @throws {RetainedKeyError} unless the key is in the state before, and its time there is over.
 */
export function assertRemovable(
  kind: RemovalKind,
  key: SigningKey,
  policy: SigningKeyPolicy,
  now: number,
): void {
  const { from, dueAt, done } = removals[kind];
  const at = key.state === from ? dueAt(key, policy) : undefined;
  if (isOver(at, now)) return;
  const when = at === undefined ? 'never in its present state' : `from ${at} (epoch seconds) on`;
  throw new RetainedKeyError(
    `${key.kid} is "${key.state}" and cannot be ${done}: its tokens may be in use; allowed ${when}`,
  );
}

/**
 * The next step towards a published `next` key when a region lacks one.
 *
 * The issuer's first key signs at once, because no verifier can hold an older set. It has a slot
 * that all regions share, and no region publishes another key before it: a verifier must never see
 * a set without the first key.
 */
function planCreation(situation: Situation): readonly RotationAction[] {
  const { state, settings } = situation;
  const first = findIntent(state, 'first');
  const firstIsPublished = first === undefined ? state.keys.length > 0 : isRecorded(state, first);
  const alg = wantedAlg(settings.algs, state.algorithmChoice);
  if (!firstIsPublished) {
    if (first !== undefined) return advance(situation, first);
    return [{ kind: 'open_intent', slot: 'first', alg, last: undefined }];
  }

  const own = findIntent(state, settings.regionId);
  if (own?.closed === false) return advance(situation, own);
  const hasNext = keysIn(situation, 'next').some(
    (key) => key.alg === alg && !state.unusableKids.has(key.kid),
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
function advance(situation: Situation, intent: KeyIntent): readonly RotationAction[] {
  const { state, settings, now } = situation;
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

/**
 * States in which some JWKS may still have a key. A key that leaves at a recorded time counts until
 * then.
 */
const inJwks: ReadonlySet<SigningKeyState> = new Set(['next', 'current', 'previous']);

/** A region's share of the JWKS. */
interface JwksRoom {
  readonly isFull: boolean;
  readonly used: number;
  readonly allowed: number;
  /** The region's key that is the next to leave the JWKS at its recorded time. */
  readonly leaving: SigningKey | undefined;
}

/**
 * How much of its share of the JWKS a region uses. Every region has the same fixed share, because
 * regions publish at the same time and without a transaction.
 */
export function findJwksRoom(
  keys: readonly SigningKey[],
  { regionId, policy }: Pick<RotationSettings, 'regionId' | 'policy'>,
): JwksRoom {
  const own = keys.filter((key) => key.regionId === regionId && inJwks.has(key.state));
  const allowed = keysOfRegionInJwks(policy);
  const [leaving] = own
    .filter((key) => key.withdrawAt !== undefined)
    .toSorted((a, b) => (a.withdrawAt ?? 0) - (b.withdrawAt ?? 0));
  return { isFull: own.length >= allowed, used: own.length, allowed, leaving };
}

/** Why a region cannot publish a key now, and when it can. */
export function explainFullJwks(
  { used, allowed, leaving }: JwksRoom,
  regionId: RotationSettings['regionId'],
): string {
  const until =
    leaving?.withdrawAt === undefined
      ? 'none of them has a time at which it leaves'
      : `${leaving.kid} leaves it at ${formatTime(leaving.withdrawAt)}`;
  return `${regionId} has ${used} keys in the JWKS, of ${allowed} that it may have (jwksMaxKeys), and ${until}`;
}

/** The algorithm of a deployment's new keys. */
export function wantedAlg(
  algs: readonly [Alg, ...Alg[]],
  choice: AlgorithmChoice | undefined,
): Alg {
  if (choice === undefined || choice.insteadOf !== algs[0]) return algs[0];
  return algs.includes(choice.alg) ? choice.alg : algs[0];
}

/** The key that signs in a region. If several are `current`, the one that was activated last. */
export function findCurrentKey(
  keys: readonly SigningKey[],
  regionId: RegionId,
): SigningKey | undefined {
  return keys
    .filter((key) => key.regionId === regionId && key.state === 'current')
    .sort((a, b) => (b.activatedAt ?? 0) - (a.activatedAt ?? 0) || (a.kid < b.kid ? -1 : 1))[0];
}

/** Why a key stops signing, or never signs. */
type RetirementReason = 'replaced' | 'superseded' | 'unusable';

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
