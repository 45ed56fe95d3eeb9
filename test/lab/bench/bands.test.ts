import { describe, expect, it } from 'vitest';
import { findShort, joinRounds } from '../../../lab/bench/report/bands.ts';
import { formatTargets } from '../../../lab/bench/report/tables.ts';
import type { TargetRow } from '../../../lab/bench/report/targets.ts';

const row = (ours: number, other: number, bound?: number): TargetRow => ({
  figure: 'CPU per token',
  against: 'usual way',
  ours,
  other,
  format: (value) => `${value} µs`,
  value: ours / other,
  ...(bound === undefined ? {} : { bound }),
  unit: 'ratio',
});

const fixed = (ours: number, bound: number): TargetRow => ({
  figure: 'wall time',
  against: 'a fixed time',
  ours,
  format: (value) => `${value} ms`,
  value: ours,
  bound,
  unit: 'ms',
});

describe('the rows of several rounds', () => {
  it('have the median of each side, and the median of the ratios with their band', () => {
    const rounds = [[row(40, 100, 0.36)], [row(30, 100, 0.36)], [row(36, 90, 0.36)]];
    expect(joinRounds(rounds)).toEqual([
      expect.objectContaining({
        ours: 36,
        other: 100,
        band: { lowest: 0.3, median: 0.4, highest: 0.4 },
        outcome: 'within the band',
      }),
    ]);
  });

  it('are short only if no round met the target', () => {
    const rounds = [
      [row(40, 100, 0.36), row(40, 100, 0.4), row(40, 100)],
      [row(37, 100, 0.36), row(50, 100, 0.4), row(40, 100)],
    ];
    expect(findShort(joinRounds(rounds)).map(({ bound }) => bound)).toEqual([0.36]);
  });

  it('read as one table, with a dash for what does not exist', () => {
    const rounds = [40, 37, 50].map((ours) => [
      row(ours, 100, 0.36),
      row(ours, 100, 0.4),
      row(ours, 100),
      fixed(ours, 50),
    ]);
    expect(formatTargets(joinRounds(rounds)).split('\n').slice(2)).toEqual([
      '| CPU per token | usual way | 40 µs | 100 µs | 0.40 | 0.37 to 0.50 | ≤ 0.36 | **short** |',
      '| CPU per token | usual way | 40 µs | 100 µs | 0.40 | 0.37 to 0.50 | ≤ 0.40 | met |',
      '| CPU per token | usual way | 40 µs | 100 µs | 0.40 | 0.37 to 0.50 | – | – |',
      '| wall time | a fixed time | 40 ms | – | 40.0 | 37.0 to 50.0 | ≤ 50.0 ms | met |',
    ]);
  });
});
