import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../cli/duration.ts';
import { formatDuration } from '../../core/duration.ts';

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
    expect(parseDuration(text, '--x')).toBe(seconds);
  });

  it.each(['', 'h', '1.5h', '-1h', '1 h', '1H', '1y', '1e3', '1234567890s', '１h'])(
    '%j is not a duration',
    (text) => {
      expect(() => parseDuration(text, '--x')).toThrow(
        `--x: received "${text}"; allowed: a number`,
      );
    },
  );

  it('gives the same seconds back', () => {
    fc.assert(
      fc.property(fc.nat({ max: 999_999_999 }), (seconds) => {
        expect(parseDuration(formatDuration(seconds), '--x')).toBe(seconds);
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
