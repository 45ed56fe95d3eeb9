import { describe, expect, it } from 'vitest';
import { findShort, joinRounds } from '../../../lab/bench/report/bands.ts';
import { pairRows } from '../../../lab/bench/report/targets.ts';

const slow = { token: { warm: { ours: 900, floor: 500 }, heap: { ours: 90_000, floor: 50_000 } } };

describe('a token that takes more than it may', () => {
  it.each([
    ['AMD EPYC', ['own part: CPU of a token, warm', 'own part: heap of a token']],
    ['another processor', ['own part: heap of a token']],
  ])('is short on %s', (cpu, figures) => {
    const rows = joinRounds({ cpu }, [pairRows(slow), pairRows(slow)]);
    expect(findShort(rows).map(({ figure }) => figure)).toEqual(figures);
  });
});
