import type { SigningKeyPolicy } from '../../contract/signing-key-policy.ts';
import { earliestEligibleAt, eligibleAt } from '../signing-key/select-signing-key.ts';
import type { SigningKey, SigningKeyState } from '../signing-key/signing-key.ts';
import {
  explainFullJwks,
  explainHold,
  findCurrentKey,
  findJwksRoom,
  findSuccessor,
  isDue,
  usableNextKeys,
  wantedAlg,
} from './plan.ts';
import type { RotationSettings, RotationState } from './rotation-ports.ts';
/** A key in the form that operators see. */
export interface TimelineEntry {
  readonly key: SigningKey;
  /** Whether it is the key that signs in its region. */
  readonly signs: boolean;
  /** When it entered its state. */
  readonly since: number;
  /** Its next step, not before that time. */
  readonly next?:
    | {
        readonly action: 'promote' | 'retire' | 'withdraw' | 'disable' | 'schedule_deletion';
        readonly at: number;
      }
    | undefined;
  /**
   * The safety margin of the state in seconds; negative if a step must wait.
   *
   * - `next`: for how long every verifier has known it;
   * - `current`: until it is due to be replaced;
   * - `previous`: between the end of its last token and its withdrawal;
   * - `withdrawn`: until no cache can hold it any more.
   */
  readonly safety?: number | undefined;
  /** Seconds for which the youngest token that it may have signed is still valid. */
  readonly liveTokens: number;
}

/** The order of a list: the key that signs, keys that will sign, keys that signed. */
const order: readonly SigningKeyState[] = [
  'current',
  'next',
  'previous',
  'withdrawn',
  'disabled',
  'deletion_scheduled',
];

/** The attribute of a key's record that keeps the time of each state. */
const timeOf: Readonly<Record<SigningKeyState, (key: SigningKey) => number | undefined>> = {
  next: (key) => key.publishedAt,
  current: (key) => key.activatedAt,
  previous: (key) => key.retiredAt,
  withdrawn: (key) => key.withdrawnAt,
  disabled: (key) => key.disabledAt,
  deletion_scheduled: (key) => key.deletionScheduledAt,
};

type Describe = (known: {
  readonly key: SigningKey;
  readonly since: number;
  readonly policy: SigningKeyPolicy;
  readonly now: number;
}) => Pick<TimelineEntry, 'next' | 'safety'>;

const descriptions: Readonly<Record<SigningKeyState, Describe>> = {
  next: ({ key, policy, now }) => {
    const at = earliestEligibleAt(key, policy, now);
    return { next: { action: 'promote', at }, safety: now - at };
  },
  current: ({ since, policy, now }) => {
    const at = since + policy.rotationPeriod;
    return { next: { action: 'retire', at }, safety: at - now };
  },
  previous: ({ key: { withdrawAt: at }, since, policy }) => {
    if (at === undefined) return {};
    return { next: { action: 'withdraw', at }, safety: at - since - policy.maxTokenLifetime };
  },
  withdrawn: ({ key: { disableAt: at }, now }) =>
    at === undefined ? {} : { next: { action: 'disable', at }, safety: at - now },
  disabled: ({ since, policy }) => ({
    next: { action: 'schedule_deletion', at: since + policy.deletionDelay },
  }),
  deletion_scheduled: () => ({}),
};

/** Seconds that a key's youngest token is still valid. An emergency withdrawal ends it early. */
export function liveTokenSeconds(key: SigningKey, policy: SigningKeyPolicy, now: number): number {
  if (key.state === 'current') return policy.maxTokenLifetime;
  if (key.state !== 'previous' || key.retiredAt === undefined) return 0;
  const lastSignature = key.retiredAt + policy.propagationLag;
  return Math.max(0, Math.min(lastSignature, now) + policy.maxTokenLifetime - now);
}

/**
 * Every key of every region with what comes next for it, by region and then by state.
 *
 * @param now seconds since the epoch.
 */
export function buildTimeline(
  keys: readonly SigningKey[],
  policy: SigningKeyPolicy,
  now: number,
): readonly TimelineEntry[] {
  return keys
    .map((key) => {
      const since = timeOf[key.state](key) ?? key.publishedAt;
      return {
        key,
        since,
        signs: findCurrentKey(keys, key.regionId) === key,
        liveTokens: liveTokenSeconds(key, policy, now),
        ...descriptions[key.state]({ key, since, policy, now }),
      };
    })
    .toSorted(byRegionAndState);
}

function byRegionAndState(a: TimelineEntry, b: TimelineEntry): number {
  if (a.key.regionId !== b.key.regionId) return a.key.regionId < b.key.regionId ? -1 : 1;
  return order.indexOf(a.key.state) - order.indexOf(b.key.state) || b.since - a.since;
}

/**
 * Seconds for which a region's key has been due for replacement; 0 if it is not due. Waiting for a
 * change of algorithm does not count.
 */
export function overdueSeconds(
  keys: readonly SigningKey[],
  regionId: SigningKey['regionId'],
  policy: SigningKeyPolicy,
  now: number,
): number {
  const current = findCurrentKey(keys, regionId);
  if (current?.activatedAt !== undefined) {
    return Math.max(0, now - current.activatedAt - policy.rotationPeriod);
  }
  const waits = keys
    .filter((key) => key.regionId === regionId && key.state === 'next')
    .map(
      ({ provedAt, publishedAt }) =>
        now - eligibleAt({ provedAt: provedAt ?? publishedAt }, policy),
    );
  return Math.max(0, ...waits);
}

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
  if (!usableNextKeys({ state, settings }).some((key) => key.alg === alg)) {
    return `the next ${alg} key is not published yet: ${explainFullJwks(room, settings.regionId)}`;
  }
  const situation = { state, settings, now };
  if (!isDue(findCurrentKey(state.keys, settings.regionId), situation)) return undefined;
  const successor = findSuccessor(situation);
  return successor && explainHold(successor, situation);
}

/** Whether a region has no key for an emergency, and no room to publish one. */
export function lacksNextKey(state: RotationState, settings: RotationSettings): boolean {
  const { isFull } = findJwksRoom(state.keys, settings);
  return isFull && usableNextKeys({ state, settings }).length === 0;
}
