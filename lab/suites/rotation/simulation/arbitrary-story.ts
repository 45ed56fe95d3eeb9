import fc from 'fast-check';
import { jwksCacheTimes, maxClockDifference } from '../../../../contract/limits.ts';
import { type RegionId, regionIds } from '../../../../contract/regions.ts';
import type { Alg } from '../../../../contract/signing-algorithms.ts';
import {
  findUnsafeTimes,
  type SigningKeyPolicy,
  type SigningKeyPolicyInput,
} from '../../../../contract/signing-key-policy.ts';
import { makePolicy } from './policies.ts';
import { modelAlgs } from './public-keys.ts';
import type { Story, Trouble } from './story.ts';

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
function jump({
  policy,
}: Scale): fc.Arbitrary<Omit<TroubleOf<'clock jump'>, 'at' | 'region' | 'kind' | 'seconds'>> {
  const host = fc.constantFrom('rotation' as const, 'jwks' as const, 'token' as const);
  return fc
    .tuple(host, fc.nat({ max: 2 * policy.publicationLead }), fc.boolean())
    .map(([of, more, isBack]) => {
      const forgiven = of === 'token' ? maxClockDifference : policy.leeway;
      const by = forgiven + policy.leeway + 3 + more;
      return { host: of, by: isBack ? -by : by };
    });
}

type TroubleOf<K extends Trouble['kind']> = Extract<Trouble, { readonly kind: K }>;

function troubleOf(scale: Scale): fc.Arbitrary<Trouble> {
  const at = fc.integer({ min: 0, max: scale.duration });
  const seconds = length(scale);
  const regions = fc.subarray<RegionId>([...regionIds], { minLength: 1 });
  const call = fc.integer({ min: 1, max: 40 });
  const kind = <K extends Trouble['kind']>(name: K) => fc.constant(name);
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        at,
        kind: kind('cut off'),
        region,
        seconds,
        readsAreStale: fc.boolean(),
        canariesAreBlind: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ at, kind: kind('unreachable'), region, from: region, seconds }),
    },
    { weight: 1, arbitrary: fc.record({ at, kind: kind('KMS is down'), region, seconds }) },
    { weight: 3, arbitrary: fc.record({ at, kind: kind('runs are missed'), regions, seconds }) },
    {
      weight: 3,
      arbitrary: fc.record({ at, kind: kind('crash'), region, call, takesEffect: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ at, kind: kind('lost answer'), region, call }) },
    {
      weight: 2,
      arbitrary: fc.record({
        at,
        kind: kind('runs at once'),
        regions: fc.array(region, { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        at,
        kind: kind('sabotage'),
        region,
        key: usedKey,
        state: fc.constantFrom('disabled' as const, 'pending_deletion' as const),
        seconds,
      }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.record({ at, kind: kind('clock jump'), region, seconds }), jump(scale))
        .map(([base, more]) => ({ ...base, ...more })),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        at,
        kind: kind('rotate'),
        region,
        algorithm: fc.option(alg, { nil: undefined }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ at, kind: kind('new config'), algs: algOrder }) },
    {
      weight: 1,
      arbitrary: fc.record({
        at,
        kind: kind('withdraw'),
        region,
        key: usedKey,
        emergency: fc.boolean(),
        early: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ at, kind: kind('remove'), region }) },
  );
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

/** Any history of three regions; it shrinks to one with few troubles. */
export function arbitraryStory(isAllowed: (trouble: Trouble) => boolean): fc.Arbitrary<Story> {
  return pace.chain(({ input, interval, lifetime }) => {
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
      tokenReuse: fc.boolean(),
      kmsListLag: fc.constantFrom(0, 20),
      troubles: fc
        .array(troubleOf({ policy, interval, duration }), { maxLength: 10 })
        .map((troubles) => troubles.filter(isAllowed).toSorted((a, b) => a.at - b.at)),
      seed: fc.nat(),
    });
  });
}
