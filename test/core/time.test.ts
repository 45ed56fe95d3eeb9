import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDay,
  formatMilliseconds,
  formatTime,
  parseExpiry,
  parseTime,
} from '../../core/time.ts';

describe('a time as text', () => {
  it('gives the same second back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
        expect(parseTime(formatTime(seconds))).toBe(seconds);
      }),
    );
  });

  it('is what Date writes, in any order of times', () => {
    const any = fc.date({ noInvalidDate: true }).map((date) => date.getTime());
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 5 }), (times) => {
        for (const time of times) {
          const text = new Date(time).toISOString();
          expect(formatMilliseconds(time)).toBe(text);
          expect(formatTime(time / 1000)).toBe(text.replace(/\.\d{3}Z$/, 'Z'));
          expect(formatDay(time / 1000)).toBe(text.split('T')[0]);
        }
      }),
    );
  });

  it('refuses a time that does not exist', () => {
    expect(() => formatTime(Number.NaN)).toThrow(RangeError);
    expect(() => formatDay(Number.POSITIVE_INFINITY)).toThrow(RangeError);
  });

  it.each([
    ['2027-01-15T08:00:00Z', 1_800_000_000],
    ['2027-01-15T10:00:00+02:00', 1_800_000_000],
    ['2027-01-15T08:00:00.999Z', 1_800_000_000],
    ['2027-01-15', 1_799_971_200],
    ['2028-02-29', 1_835_395_200],
  ])('%s is %s', (text, seconds) => {
    expect(parseTime(text)).toBe(seconds);
  });

  it.each([
    '2027-02-29',
    '2027-02-31T00:00:00Z',
    '2027-13-01',
    '2027-01-15T25:00:00Z',
    '2027-01-15T08:00:00',
    '2027-01-15 08:00:00Z',
    '15.1.2027',
    'tomorrow',
    '1800000000',
    '',
  ])('%s is not a time', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it.each([
    ['2026-11-23', '2026-11-23T23:59:59Z'],
    ['2026-12-31', '2026-12-31T23:59:59Z'],
    ['2026-11-23T00:00:00Z', '2026-11-23T00:00:00Z'],
    ['2026-11-23T00:00:00-07:00', '2026-11-23T07:00:00Z'],
  ])('an expiry of %s is at %s', (text, expiry) => {
    expect(formatTime(parseExpiry(text) ?? 0)).toBe(expiry);
  });

  it('has no expiry on a day that does not exist', () => {
    expect(parseExpiry('2027-02-29')).toBeUndefined();
  });
});
