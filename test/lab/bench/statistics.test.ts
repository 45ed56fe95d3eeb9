import { describe, expect, it } from 'vitest';
import { bandOf, judge, median, medianOf, percentile } from '../../../lab/bench/statistics.ts';

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

describe('a percentile', () => {
  it.each([
    [0.5, 50],
    [0.99, 99],
    [0.999, 100],
    [1, 100],
    [0, 1],
  ])('of 1 to 100 at %d is %d', (share, expected) => {
    expect(percentile(hundred, share)).toBe(expected);
  });

  it('of one value is this value, and of none is not a number', () => {
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('leaves the values in their order', () => {
    const values = [3, 1, 2];
    expect(median(values)).toBe(2);
    expect(values).toEqual([3, 1, 2]);
  });

  it('of an even number of values is the lower of the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2);
  });
});

describe('a band', () => {
  it('has the lowest, the middle and the highest run', () => {
    expect(bandOf([0.4, 0.36, 0.38])).toEqual({ lowest: 0.36, median: 0.38, highest: 0.4 });
  });

  it.each([
    ['met', [0.3, 0.35, 0.36], 'all runs are within the target'],
    ['met', [0.3, 0.36, 0.5], 'the median is at the target'],
    ['within the band', [0.36, 0.37, 0.38], 'only the best run met the target'],
    ['short', [0.361, 0.37, 0.38], 'no run met the target'],
  ])('is %s by %j: %s', (outcome, runs) => {
    expect(judge(bandOf(runs), 0.36)).toBe(outcome);
  });

  it('that could not be measured is short', () => {
    expect(judge(bandOf([Number.NaN, Number.NaN, Number.NaN]), 0.36)).toBe('short');
  });
});

describe('the median of structures', () => {
  it('is that of each number, and keeps the texts of the first', () => {
    const round = (cpuUs: number, day: string) => ({ ours: { cpuUs }, day, points: [{ cpuUs }] });
    expect(medianOf([round(3, 'a'), round(1, 'b'), round(2, 'c')])).toEqual({
      ours: { cpuUs: 2 },
      day: 'a',
      points: [{ cpuUs: 2 }],
    });
  });
});
