import { expect, it } from 'vitest';
import { findShort, joinRounds } from '../../../lab/bench/report/bands.ts';
import { pairRows } from '../../../lab/bench/report/targets.ts';

const slow = { token: { cold: { ours: 900, floor: 500 }, heap: { ours: 90_000, floor: 50_000 } } };

it('says on each machine that a token takes more than it may', () => {
  const rows = joinRounds([pairRows(slow), pairRows(slow)]);
  const figures = findShort(rows).map(({ figure }) => figure);
  expect(figures).toEqual(['CPU of a token, cold', 'heap of a token']);
});
