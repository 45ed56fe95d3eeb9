import { type Band, bandOf, judge, median, type Outcome } from '../statistics.ts';
import type { TargetRow } from './targets.ts';

/** A figure of all rounds: ours, the other and the value are medians. */
export interface BandRow extends TargetRow {
  readonly band: Band;
  /** None if the figure has no target. */
  readonly outcome?: Outcome;
}

/** The rows of several rounds, which are the same figures in the same order, as one list. */
export function joinRounds(rounds: readonly (readonly TargetRow[])[]): readonly BandRow[] {
  const [first = []] = rounds;
  return first.map((row, index) => {
    const same = rounds.flatMap((rows) => rows[index] ?? []);
    const band = bandOf(same.map(({ value }) => value));
    const others = same.map(({ other }) => other).filter((other) => other !== undefined);
    return {
      ...row,
      ours: median(same.map(({ ours }) => ours)),
      ...(others.length === 0 ? {} : { other: median(others) }),
      value: band.median,
      band,
      ...(row.bound === undefined ? {} : { outcome: judge(band, row.bound) }),
    };
  });
}

/** The figures that no round brought within their target. */
export function findShort(rows: readonly BandRow[]): readonly BandRow[] {
  return rows.filter(({ outcome }) => outcome === 'short');
}
