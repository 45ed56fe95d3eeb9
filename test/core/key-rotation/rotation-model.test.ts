import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jwksCacheTimes } from '../../../contract/bounds.ts';
import { publicJwkFromSpki } from '../../../core/signing-key/public-jwk.ts';
import { modelAlgs, pooledPublicKey } from '../../../lab/suites/rotation/simulation/public-keys.ts';
import {
  arbitraryStory,
  type Story,
  type Trouble,
  troubleKinds,
} from '../../../lab/suites/rotation/simulation/story.ts';

const stories = fc.sample(
  arbitraryStory(() => true),
  { numRuns: 1000, seed: 1 },
);

type Kind = Trouble['kind'];

function ofKind<K extends Kind>({ troubles }: Story, kind: K) {
  return troubles.filter((trouble) => trouble.kind === kind) as Extract<Trouble, { kind: K }>[];
}

/** Whether two troubles, which last for a while, go on at the same time. */
function overlap(a: { at: number; seconds: number }, b: { at: number; seconds: number }): boolean {
  return a.at < b.at + b.seconds && b.at < a.at + a.seconds;
}

/** A region that no canary reaches and that misses runs, in a story that has another kind too. */
function isolatesWith(story: Story, other: Kind): boolean {
  return ofKind(story, 'cut off').some(
    (cut) =>
      cut.canariesAreBlind &&
      ofKind(story, 'runs are missed').some(
        (missed) => missed.regions.includes(cut.region) && overlap(cut, missed),
      ) &&
      ofKind(story, other).length > 0,
  );
}

describe('the histories of the rotation', () => {
  it.each(troubleKinds)('draw %s', (kind) => {
    expect(stories.filter((story) => ofKind(story, kind).length > 0).length).toBeGreaterThan(20);
  });

  it.each<[what: string, isSo: (story: Story) => boolean]>([
    ['a region that is isolated, misses runs and dies in one', (s) => isolatesWith(s, 'crash')],
    [
      'a region that is isolated, misses runs and runs at once with others',
      (s) => isolatesWith(s, 'runs at once'),
    ],
    [
      'a key that is disabled and enabled again',
      (s) => ofKind(s, 'sabotage').some(({ state }) => state === 'disabled'),
    ],
    [
      'a key that is pending deletion and enabled again',
      (s) => ofKind(s, 'sabotage').some(({ state }) => state === 'pending_deletion'),
    ],
    ['clocks that differ and one that jumps', (s) => s.clocksDiffer && has(s, 'clock jump')],
    ['the shortest cache of verifiers', (s) => s.policy.verifierCache === jwksCacheTimes.cooldown],
    ["the default's ratio of interval to G", (s) => s.policy.propagationLag === s.interval],
    ['tokens of a minute', (s) => s.maxTokenLifetime === 60],
    ['tokens of a day', (s) => s.maxTokenLifetime === 86_400],
    ['a region that joins late', (s) => Math.max(...Object.values(s.joinAt)) > s.interval],
    ['tokens that are given again', (s) => s.tokenReuse],
    ['a change of algorithm', (s) => ofKind(s, 'rotate').some((by) => by.algorithm !== undefined)],
  ])('draw %s', (_, isSo) => {
    expect(stories.filter(isSo).length).toBeGreaterThan(2);
  });

  it('are of three algorithms of three families', () => {
    const families = stories[0]?.algs.map((alg) => alg.replace(/[\d-]+$/, ''));
    expect(new Set(families)).toEqual(new Set(['RS', 'ES', 'ML-DSA']));
  });

  // The kid of a key orders it among others: random keys made the same seed play other histories.
  it('have the same keys in every process', () => {
    const kids = modelAlgs.map((alg) => publicJwkFromSpki(pooledPublicKey(alg, 1), alg).kid);
    expect(kids).toEqual([
      'dd4z26Dwn63WpeDh0s1-xXNW1EUFdz50JRJ_rwQvbL0',
      'EVrkB3KCP-pFJhcGn4YWfZu4F6J0fuiaBpbMWu_70cM',
      'gru_yfPyYAyA9Twpk5tU53u75yiZipY5NBzT2g7HDD0',
    ]);
  });
});

function has(story: Story, kind: Kind): boolean {
  return ofKind(story, kind).length > 0;
}
