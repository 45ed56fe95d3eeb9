import { describe, expect, it } from 'vitest';
import { regionIds } from '../../../contract/regions.ts';
import { playStory } from '../../../lab/suites/rotation/simulation/play-story.ts';
import type { Story, Trouble } from '../../../lab/suites/rotation/simulation/story.ts';

/** A lead of about 4,200 s, and runs as often as in AWS. All three regions sign at +10,000 s. */
function tell(troubles: readonly Trouble[], more: Partial<Story> = {}): Story {
  return {
    policy: {
      rotationPeriod: 86_400,
      jwksMaxAge: 300,
      verifierCache: 3600,
      propagationLag: 300,
      keyListRefresh: 60,
      leeway: 0,
      authorizerResultTtl: 0,
      deletionDelay: 300,
    },
    maxTokenLifetime: 3600,
    interval: 300,
    duration: 20_000,
    joinAt: { slc: 0, dfw: 0, pit: 0 },
    phases: { slc: 0, dfw: 100, pit: 200 },
    algs: ['RS256', 'ES256', 'ML-DSA-65'],
    clocksDiffer: false,
    kmsListLag: 0,
    seed: 1,
    troubles,
    ...more,
  };
}

/** A key signs for less than a story. */
const rotates = { policy: { ...tell([]).policy, rotationPeriod: 12_000 } };

/** A region that serves old keys and that no canary reaches. */
const cutOff = { kind: 'cut off', readsAreStale: true, canariesAreBlind: true } as const;
const toES256 = { kind: 'rotate', algorithm: 'ES256' } as const;

const stories: readonly (readonly [title: string, story: Story])[] = [
  [
    'a region that no canary reaches while a key is published',
    tell([
      { ...cutOff, at: 8990, region: 'pit', seconds: 1500 },
      { ...toES256, at: 9180, region: 'dfw' },
    ]),
  ],
  [
    'a region that no canary reaches for nearly a lead',
    tell([
      { ...cutOff, at: 8990, region: 'pit', seconds: 3900 },
      { ...toES256, at: 9180, region: 'dfw' },
    ]),
  ],
  [
    'runs that are missed while a region that lacked the key comes back',
    tell([
      { ...cutOff, at: 8990, region: 'pit', seconds: 3000, canariesAreBlind: false },
      { ...toES256, at: 9180, region: 'dfw' },
      { kind: 'runs are missed', at: 9800, regions: regionIds, seconds: 2400 },
    ]),
  ],
  [
    'a next key that is disabled, retired, enabled again and then the only one that KMS takes',
    tell([
      { kind: 'withdraw', at: 5000, region: 'slc', key: 'next', emergency: true, early: false },
      { kind: 'sabotage', at: 5200, region: 'slc', key: 'next', state: 'disabled', seconds: 250 },
      {
        kind: 'sabotage',
        at: 5500,
        region: 'slc',
        key: 'current',
        state: 'disabled',
        seconds: 600,
      },
    ]),
  ],
  [
    'a region that joins while a canary does not reach another',
    tell([{ kind: 'unreachable', at: 0, region: 'pit', from: 'dfw', seconds: 9000 }], {
      joinAt: { slc: 0, dfw: 2000, pit: 0 },
    }),
  ],
  [
    'a region that is taken out of the config shortly before a rotation is due',
    tell([{ kind: 'remove', at: 11_000, region: 'pit' }], rotates),
  ],
  [
    'a rotation whose clock is behind while it retires a key',
    tell(
      [
        {
          kind: 'clock jump',
          at: 19_000,
          region: 'dfw',
          host: 'rotation',
          by: -1500,
          seconds: 4000,
        },
      ],
      rotates,
    ),
  ],
  [
    'a rotation whose clock is ahead while its key is previous',
    tell(
      [
        {
          kind: 'clock jump',
          at: 20_000,
          region: 'dfw',
          host: 'rotation',
          by: 4000,
          seconds: 1000,
        },
      ],
      rotates,
    ),
  ],
  [
    'a JWKS function whose clock is ahead while a key is previous',
    tell(
      [{ kind: 'clock jump', at: 20_001, region: 'pit', host: 'jwks', by: 4000, seconds: 1000 }],
      rotates,
    ),
  ],
  ['a change of algorithm', tell([{ ...toES256, at: 9180, region: 'dfw' }])],
  [
    'rotations by hand within the retention of the keys before, in all regions',
    tell(
      Array.from({ length: 12 }, (_, index) => ({
        kind: 'rotate' as const,
        at: 12_000 + 6000 * Math.floor(index / 3),
        region: regionIds[index % 3] ?? 'slc',
      })),
      {
        maxTokenLifetime: 86_400,
        duration: 40_000,
        policy: { ...tell([]).policy, rotationPeriod: 100_000 },
      },
    ),
  ],
  [
    'clocks that are apart by nearly the whole leeway',
    tell([], {
      policy: {
        rotationPeriod: 1890,
        jwksMaxAge: 300,
        edgeAge: 150,
        verifierCache: 300,
        propagationLag: 150,
        keyListRefresh: 75,
        leeway: 60,
        authorizerResultTtl: 0,
        deletionDelay: 300,
      },
      maxTokenLifetime: 600,
      phases: { slc: 189, dfw: 0, pit: 0 },
      algs: ['ML-DSA-65', 'RS256', 'ES256'],
      clocksDiffer: true,
      seed: 264_298_315,
    }),
  ],
];

describe('a story that once broke a promise', () => {
  it.each(stories)(
    '%s',
    async (_, story) => {
      const { counts } = (await playStory(story)).watch;
      expect(counts.tokens).toBeGreaterThan(1000);
    },
    60_000,
  );
});
