import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration, sayAsDuration } from '../../core/duration.ts';

describe('a duration', () => {
  it.each([
    ['45', 45],
    ['45s', 45],
    ['30m', 1800],
    ['1h', 3600],
    ['90d', 7_776_000],
    ['2w', 1_209_600],
    ['0', 0],
  ])('%s is %s seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', 'h', '1.5h', '-1h', '1 h', '1H', '1y', '1e3', '1234567890s', '１h'])(
    '%j is not a duration',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it('gives the same seconds back', () => {
    fc.assert(
      fc.property(fc.nat({ max: 999_999_999 }), (seconds) => {
        expect(parseDuration(formatDuration(seconds))).toBe(seconds);
      }),
    );
  });

  it.each([
    [900, '15m'],
    [3600, '1h'],
    [86_400, '1d'],
    [3601, '3601s'],
    [0, '0s'],
  ])('%s seconds are shown as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});

describe('what management says about seconds', () => {
  it.each([
    [
      'received 172800; allowed: 60 to 86400 seconds',
      '2d',
      'received "2d"; allowed: 1m to 1d, such as 15m or 1h',
    ],
    [
      'received "soon"; allowed: 0 seconds or more, to an expiry before the year 10000',
      'soon',
      'received "soon"; allowed: 0s or more, to an expiry before the year 10000, such as 15m or 1h',
    ],
    ['received 7200; allowed: at most 1800 seconds', '2h', 'received "2h"; allowed: at most 30m'],
    [
      'received "2027-01-15T08:00:00Z"; allowed: an end at most 40d from now',
      '41d',
      'received "41d"; allowed: an end at most 40d from now',
    ],
    [
      'received "2027-01-15T08:00:00Z"; allowed: an end at most 40d from now',
      '2027-01-15',
      'received "2027-01-15T08:00:00Z"; allowed: an end at most 40d from now',
    ],
    ['received "a"; allowed: b', 'c', 'received "a"; allowed: b'],
  ])('%s reads as it was typed', (problem, typed, said) => {
    expect(sayAsDuration(problem, typed)).toBe(said);
  });
});
