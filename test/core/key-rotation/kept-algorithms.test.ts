import { describe, expect, it } from 'vitest';
import {
  AlgorithmInUseError,
  assertAlgorithmsKept,
  type KeptAlgorithmsCheck,
} from '../../../core/key-rotation/kept-algorithms.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import { signingKey } from '../../support/rotation-keys.ts';

/** 2027-01-15T08:00:00Z. */
const now = 1_800_000_000;
const { publicationLead, retention } = policy;

const signs = signingKey('signs', { alg: 'RS256' });
const replaced = signingKey('replaced', { alg: 'RS256', state: 'previous', withdrawAt: now + 60 });
const next = signingKey('next', { alg: 'RS256', state: 'next', publishedAt: now });
const nextPs256 = signingKey('next-ps256', { alg: 'PS256', state: 'next', publishedAt: now - 1 });

function check(more: Partial<KeptAlgorithmsCheck>) {
  return () =>
    assertAlgorithmsKept({
      keys: [signs],
      algs: ['PS256'],
      regionIds: ['slc', 'dfw'],
      heartbeats: [],
      policy,
      now,
      ...more,
    });
}

const time = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`;

describe('the algorithms of a config', () => {
  it('are any while there is no key, as in a first deployment', () => {
    expect(check({ keys: [] })).not.toThrow();
  });

  it.each([
    ['that the config names', { algs: ['PS256', 'RS256'] }],
    ['that is withdrawn', { keys: [{ ...signs, state: 'withdrawn' }] }],
    ['that is disabled', { keys: [{ ...signs, state: 'disabled' }] }],
    ['whose last token has expired', { keys: [{ ...replaced, withdrawAt: now }] }],
    ['that waits behind a key that signs', { keys: [nextPs256, { ...signs, alg: 'PS256' }, next] }],
    ['that waits next to one that may sign', { keys: [next, nextPs256] }],
    ['of a region that left the config a day ago', { regionIds: ['dfw'] }],
  ] satisfies readonly [string, Partial<KeptAlgorithmsCheck>][])(
    'need not include that of a key %s',
    (_, more) => {
      expect(check(more)).not.toThrow();
    },
  );

  it.each([
    [
      'signs',
      [signs],
      `signs; RS256 can be removed from ${time(now + publicationLead + retention)} on at the earliest, after another key has replaced it`,
    ],
    [
      'signs while its successor waits',
      [signs, nextPs256],
      `signs; RS256 can be removed from ${time(now - 1 + publicationLead + retention)} on at the earliest, after another key has replaced it`,
    ],
    [
      'signed tokens that are valid',
      [replaced],
      `does not sign any more; RS256 can be removed from ${time(now + 60)} on, when its last token has expired`,
    ],
    [
      'signed tokens without a recorded end',
      [{ ...replaced, withdrawAt: undefined }],
      'is published, and has no recorded end',
    ],
    [
      'will be the first of its region to sign',
      [next],
      `signs next; RS256 can be removed from ${time(now + publicationLead + retention)} on at the earliest, after another key has replaced it`,
    ],
  ])('must include that of a key that %s', (_, keys, reason) => {
    expect(check({ keys })).toThrow(
      new AlgorithmInUseError(
        [
          'signingAlgorithms: received PS256; allowed at 2027-01-15T08:00:00Z: PS256, RS256, because of these keys:',
          `  slc: ${keys[0]?.kid} (RS256) ${reason}`,
        ].join('\n'),
        ['PS256', 'RS256'],
      ),
    );
  });

  it('must include that of a key of another region, as discovery is one for all', () => {
    const keys = [
      { ...signs, alg: 'PS256' as const },
      { ...signs, kid: 'other', regionId: 'dfw' as const },
    ];
    expect(check({ keys })).toThrow(/^ {2}dfw: other \(RS256\) signs/m);
  });

  it('must include that of a region that left the config while its tokens are valid', () => {
    const at = now - retention;
    const heartbeats = (since: number) => [{ regionId: 'slc' as const, at: since }];
    expect(check({ regionIds: ['dfw'], heartbeats: heartbeats(at + 1) })).toThrow('slc: signs');
    expect(check({ regionIds: ['dfw'], heartbeats: heartbeats(at) })).not.toThrow();
  });

  it('are named in the order in which they are allowed', () => {
    const keys = [signs, signingKey('other', { alg: 'ES384', regionId: 'dfw' })];
    try {
      check({ keys, algs: ['ML-DSA-44', 'ES256'] })();
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ allowed: ['ML-DSA-44', 'ES256', 'RS256', 'ES384'] });
    }
  });
});
