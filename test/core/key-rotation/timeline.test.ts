import { describe, expect, it } from 'vitest';
import {
  buildTimeline,
  liveTokenSeconds,
  overdueSeconds,
} from '../../../core/key-rotation/timeline.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import { signingKey } from '../../support/rotation-keys.ts';

const { publicationLead: lead, rotationPeriod: period, retention, maxTokenLifetime } = policy;

const current = signingKey('a', { activatedAt: 100 });
const next = signingKey('b', { state: 'next', publishedAt: 100 });
const previous = signingKey('c', {
  state: 'previous',
  activatedAt: 0,
  retiredAt: 100,
  withdrawAt: 100 + retention,
});
const withdrawn = signingKey('d', { state: 'withdrawn', withdrawnAt: 90, disableAt: 215 });
const disabled = signingKey('e', { state: 'disabled', disabledAt: 80 });
const deleted = signingKey('f', { state: 'deletion_scheduled', deletionScheduledAt: 70 });

describe('the timeline', () => {
  it('says of each key what comes next and what is to spare', () => {
    const keys = [deleted, previous, next, disabled, current, withdrawn];
    const entries = buildTimeline(keys, policy, 110).map(({ key, signs, since, next, safety }) => [
      key.kid,
      signs,
      since,
      next === undefined ? undefined : `${next.action} at ${next.at}`,
      safety,
    ]);
    expect(entries).toEqual([
      ['a', true, 100, `retire at ${100 + period}`, period - 10],
      ['b', false, 100, `promote at ${100 + lead}`, 10 - lead],
      ['c', false, 100, `withdraw at ${100 + retention}`, retention - maxTokenLifetime],
      ['d', false, 90, 'disable at 215', 105],
      ['e', false, 80, `schedule_deletion at ${80 + policy.deletionDelay}`, undefined],
      ['f', false, 70, undefined, undefined],
    ]);
  });

  it('keeps the regions apart', () => {
    const other = signingKey('x', { regionId: 'dfw', activatedAt: 5 });
    const entries = buildTimeline([current, other], policy, 110);
    expect(entries.map(({ key, signs }) => [key.regionId, signs])).toEqual([
      ['dfw', true],
      ['slc', true],
    ]);
  });
});

describe('what an emergency cuts off', () => {
  it.each([
    ['all of a token that is made now', current, 110, maxTokenLifetime],
    ['nothing of a key that has never signed', next, 110, 0],
    ['what is left of the last token', previous, 100 + policy.propagationLag + 10, 50],
    ['as much as of a key that signs, while functions may not know better', previous, 101, 60],
    ['nothing once the last token is over', previous, 100 + retention, 0],
    ['nothing of a key that is withdrawn', withdrawn, 110, 0],
  ])('is %s', (_, key, now, expected) => {
    expect(liveTokenSeconds(key, policy, now)).toBe(expected);
  });
});

describe('how long a key has been due', () => {
  const ineligible = signingKey('y', { state: 'next', publishedAt: 10_000 });
  it.each([
    ['is 0 while it is not', [current, next], 100 + period, 0],
    ['counts from the end of its period', [current, next], 107 + period, 7],
    ['is 0 for a region that waits for its first key', [ineligible], 10_000 + lead, 0],
    ['counts for it from when the key could sign', [ineligible], 10_009 + lead, 9],
    ['is 0 if there is no key', [], 5, 0],
    [
      'does not count the keys of other regions',
      [{ ...current, regionId: 'dfw' as const }],
      1e9,
      0,
    ],
  ])('%s', (_, keys, now, expected) => {
    expect(overdueSeconds(keys, 'slc', policy, now)).toBe(expected);
  });
});
