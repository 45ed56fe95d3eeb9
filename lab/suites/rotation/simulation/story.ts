import fc from 'fast-check';
import { jwksCacheTimes, maxClockDifference } from '../../../../contract/bounds.ts';
import { type RegionId, regionIds } from '../../../../contract/regions.ts';
import type { Alg } from '../../../../contract/signing-algorithms.ts';
import {
  findUnsafeTimes,
  type SigningKeyPolicy,
  type SigningKeyPolicyInput,
} from '../../../../contract/signing-key-policy.ts';
import { makePolicy, policy as shortPolicy } from './policies.ts';
import { modelAlgs } from './public-keys.ts';

const region = fc.constantFrom<RegionId>(...regionIds);
const alg = fc.constantFrom<Alg>(...modelAlgs);
const algOrder = fc
  .shuffledSubarray<Alg>([...modelAlgs], { minLength: 3 })
  .map((algs) => algs as [Alg, ...Alg[]]);
const usedKey = fc.constantFrom('current' as const, 'next' as const, 'previous' as const);

/** Parts of time that a story is made of. */
interface Scale {
  readonly policy: SigningKeyPolicy;
  readonly interval: number;
  readonly duration: number;
}

type Seconds = fc.Arbitrary<number>;

/** How long a trouble lasts: some runs, a lead, or anything between. */
function length({ policy, interval }: Scale): Seconds {
  return fc.oneof(
    fc.integer({ min: 1, max: 4 * interval }),
    fc.integer({ min: 1, max: policy.publicationLead + 2 * interval }),
  );
}

/** A clock that is wrong by more than any check forgives, and by any amount beyond that. */
function jump({ policy }: Scale) {
  const host = fc.constantFrom('rotation' as const, 'jwks' as const, 'token' as const);
  return fc
    .tuple(host, fc.nat({ max: 2 * policy.publicationLead }), fc.boolean())
    .map(([of, more, isBack]) => {
      const forgiven = of === 'token' ? maxClockDifference : policy.leeway;
      const by = forgiven + policy.leeway + 3 + more;
      return { host: of, by: isBack ? -by : by };
    });
}

const call = fc.integer({ min: 1, max: 40 });

/** What happens in each kind of trouble, next to its time, and how often chance picks the kind. */
function troublesOf(scale: Scale) {
  const seconds = length(scale);
  const someRegions = fc.subarray<RegionId>([...regionIds], { minLength: 1 });
  const inTurn = fc.array(region, { minLength: 1, maxLength: 4 });
  const state = fc.constantFrom('disabled' as const, 'pending_deletion' as const);
  const [readsAreStale, canariesAreBlind] = [fc.boolean(), fc.boolean()];
  const [takesEffect, emergency, early] = [fc.boolean(), fc.boolean(), fc.boolean()];
  const clock = fc.tuple(fc.record({ region, seconds }), jump(scale));
  return {
    // A region loses its tables; a blind canary does not reach its JWKS either.
    'cut off': [4, fc.record({ region, seconds, readsAreStale, canariesAreBlind })],
    // The canary of a region does not reach the JWKS of another.
    unreachable: [1, fc.record({ region, from: region, seconds })],
    'KMS is down': [1, fc.record({ region, seconds })],
    'runs are missed': [3, fc.record({ regions: someRegions, seconds })],
    crash: [3, fc.record({ region, call, takesEffect })],
    'lost answer': [2, fc.record({ region, call })],
    'runs at once': [2, fc.record({ regions: inTurn })],
    // Someone changes a key in KMS, and changes it back.
    sabotage: [3, fc.record({ region, key: usedKey, state, seconds })],
    'clock jump': [2, clock.map(([base, more]) => ({ ...base, ...more }))],
    rotate: [2, fc.record({ region, algorithm: alg }, { requiredKeys: ['region'] })],
    'new config': [1, fc.record({ algs: algOrder })],
    withdraw: [1, fc.record({ region, key: usedKey, emergency, early })],
    // A region is taken out of the config and destroyed.
    remove: [1, fc.record({ region })],
  } as const;
}

type Troubles = ReturnType<typeof troublesOf>;
type Values<T> =
  T extends fc.Arbitrary<infer V> ? { readonly [K in keyof V]: Readonly<V[K]> } : never;

/** Something that happens in a history. Times are seconds after its beginning. */
export type Trouble = {
  [K in keyof Troubles]: { readonly at: number; readonly kind: K } & Values<Troubles[K][1]>;
}[keyof Troubles];

export const troubleKinds = Object.keys(
  troublesOf({ policy: shortPolicy, interval: 1, duration: 1 }),
) as readonly Trouble['kind'][];

function troubleOf(scale: Scale): fc.Arbitrary<Trouble> {
  const at = fc.integer({ min: 0, max: scale.duration });
  const kinds = Object.entries(troublesOf(scale)).map(([kind, [weight, parts]]) => ({
    weight,
    arbitrary: fc.tuple(at, parts as fc.Arbitrary<object>).map(([when, more]) => {
      return { at: when, kind, ...more } as Trouble;
    }),
  }));
  return fc.oneof(...kinds);
}

/** Parts of the interval between two runs, so that a history of any scale has as many runs. */
const shape = fc.record({
  /** G by the interval: 1 is the default's ratio. */
  lag: fc.constantFrom(1, 1, 1, 0.5, 2, 3),
  refresh: fc.constantFrom(0.5, 0.2, 0.1),
  maxAge: fc.constantFrom(0, 1, 0.3),
  edge: fc.constantFrom(0, 0, 0.5),
  cache: fc.constantFrom(0, 1, 3, 6, 12),
  leeway: fc.constantFrom(0, 0.05, 0.2, 0.5),
  authorizer: fc.constantFrom(0, 0, 1),
  spare: fc.constantFrom(0, 0, 0, 5),
});

/** A policy that the config accepts, with the interval of the rotation's runs. */
const pace = fc
  .record({
    shape,
    interval: fc.constantFrom(10, 60, 300, 1800),
    lifetime: fc.constantFrom(60, 600, 3600, 86_400),
  })
  .map(({ shape: parts, interval, lifetime }) => {
    const scaled = (part: number) => Math.floor(part * interval);
    const propagationLag = scaled(parts.lag);
    const input: SigningKeyPolicyInput = {
      jwksMaxAge: scaled(parts.maxAge),
      edgeAge: scaled(parts.edge),
      verifierCache: Math.max(jwksCacheTimes.cooldown, scaled(parts.cache)),
      propagationLag,
      keyListRefresh: Math.max(1, Math.floor(parts.refresh * propagationLag)),
      leeway: Math.min(60, scaled(parts.leeway)),
      authorizerResultTtl: scaled(parts.authorizer),
      deletionDelay: interval,
    };
    const times = makePolicy(input, lifetime);
    const rotationPeriod = times.publicationLead + times.retention + scaled(parts.spare);
    return { input: { ...input, rotationPeriod }, interval, lifetime };
  })
  .filter(({ input, interval, lifetime }) => {
    const policy = makePolicy(input, lifetime);
    return findUnsafeTimes(policy).length === 0 && policy.rotationPeriod / interval < 80;
  });

/** A history in short: all that happens in it follows from these values. */
export interface Story {
  readonly policy: SigningKeyPolicyInput;
  readonly maxTokenLifetime: number;
  /** Seconds between two runs of each region's rotation. */
  readonly interval: number;
  /** Seconds for which the story lasts, before everything is well again. */
  readonly duration: number;
  /** When each region is deployed, in seconds after the beginning. */
  readonly joinAt: Readonly<Record<RegionId, number>>;
  /** When the runs of each region begin within an interval, in seconds. */
  readonly phases: Readonly<Record<RegionId, number>>;
  readonly algs: readonly [Alg, ...Alg[]];
  readonly clocksDiffer: boolean;
  /** Seconds for which KMS does not list a new key. */
  readonly kmsListLag: number;
  readonly troubles: readonly Trouble[];
  /** Chance decides over lags and orders by it. */
  readonly seed: number;
}

/** Any history of three regions; it shrinks to one with few troubles. */
export const arbitraryStory: fc.Arbitrary<Story> = pace.chain(({ input, interval, lifetime }) => {
  const policy = makePolicy(input, lifetime);
  const duration = 2 * policy.rotationPeriod;
  const within = (max: number) => fc.integer({ min: 0, max });
  const each = (value: Seconds) => fc.record({ slc: value, dfw: value, pit: value });
  return fc.record({
    policy: fc.constant(input),
    maxTokenLifetime: fc.constant(lifetime),
    interval: fc.constant(interval),
    duration: fc.constant(duration),
    joinAt: each(fc.oneof(fc.constant(0), fc.constant(0), within(policy.rotationPeriod))),
    phases: each(within(interval - 1)),
    algs: algOrder,
    clocksDiffer: fc.boolean(),
    kmsListLag: fc.constantFrom(0, 20),
    troubles: fc
      .array(troubleOf({ policy, interval, duration }), { maxLength: 10 })
      .map((troubles) => troubles.toSorted((a, b) => a.at - b.at)),
    seed: fc.nat(),
  });
});
