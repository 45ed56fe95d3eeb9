import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publicJwkFromSpki } from '../../../core/signing-key/public-jwk.ts';
import { modelAlgs, pooledPublicKey } from '../../../lab/suites/rotation/simulation/public-keys.ts';
import {
  arbitraryStory,
  type Story,
  type Trouble,
  troubleKinds,
} from '../../../lab/suites/rotation/simulation/story.ts';

const stories = fc.sample(arbitraryStory, { numRuns: 1000, seed: 1 });

type Kind = Trouble['kind'];

function ofKind<K extends Kind>({ troubles }: Story, kind: K) {
  return troubles.filter((trouble) => trouble.kind === kind) as Extract<Trouble, { kind: K }>[];
}

describe('the histories of the rotation', () => {
  it.each(troubleKinds)('draw %s', (kind) => {
    expect(stories.filter((story) => ofKind(story, kind).length > 0).length).toBeGreaterThan(20);
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
