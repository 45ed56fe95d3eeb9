import { describe, expect, it } from 'vitest';
import {
  countBusiestSecond,
  findFirstLimit,
  joinSummaries,
  summarise,
} from '../../../lab/bench/load/summary.ts';
import { arriveAtOnce, arriveEvenly, type Sample } from '../../../lab/bench/load/traffic.ts';

const sample = (arrivedAt: number, answeredAt: number, token?: string): Sample =>
  token === undefined
    ? { arrivedAt, answeredAt, error: 'refused' }
    : { arrivedAt, answeredAt, token };

describe('arrivals', () => {
  it('are spaced evenly, or all at the beginning', () => {
    expect(arriveEvenly(4, 1)).toEqual([0, 250, 500, 750]);
    expect(arriveAtOnce(3)).toEqual([0, 0, 0]);
  });
});

describe('the busiest second', () => {
  it.each([
    [[], 0],
    [[5], 1],
    [[0, 999, 1000, 1500, 1999], 3],
    [[0, 1000, 2000], 1],
    [[2000, 100, 50, 0], 3],
  ])('of %j has %d', (times, expected) => {
    expect(countBusiestSecond(times)).toBe(expected);
  });
});

describe('a summary', () => {
  it('counts time from the arrival, errors by message, and each token once', () => {
    const samples = [
      sample(0, 10, 'a'),
      sample(5, 25, 'a'),
      sample(10, 40, 'b'),
      sample(500, 2000),
    ];
    expect(summarise(samples)).toEqual({
      requests: 4,
      perSecond: 1.5,
      p50Ms: 20,
      p99Ms: 1500,
      p999Ms: 1500,
      errors: { refused: 1 },
      signatures: 2,
      busiestSecond: 2,
    });
  });

  it('of several rounds has the medians, the band of p99 and all errors', () => {
    const rounds = [10, 30, 20].map((answeredAt) =>
      summarise([sample(0, answeredAt, 'a'), sample(0, 1)]),
    );
    expect(joinSummaries(rounds)).toMatchObject({
      p99Ms: 20,
      p99Band: { lowest: 10, median: 20, highest: 30 },
      errors: { refused: 3 },
    });
  });
});

describe('what is used up first', () => {
  it('is what has the largest share', () => {
    expect(findFirstLimit({ 'event loop': 0.4, quota: 0.95 })).toBe('quota, 95 %');
    expect(findFirstLimit({})).toBe('–');
  });
});
