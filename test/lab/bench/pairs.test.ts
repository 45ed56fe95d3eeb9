import { describe, expect, it } from 'vitest';
import { type PairBlocks, summarise } from '../../../lab/bench/pairs.ts';
import { pairRows } from '../../../lab/bench/report/targets.ts';
import type { PairsSection } from '../../../lab/bench/sections/pairs.ts';

const none = { ours: [], floor: [] };

describe('two handlers next to each other', () => {
  it('have the lower quartile of their blocks, regardless of what disturbed the rest', () => {
    const blocks: PairBlocks = {
      warm: { ours: [900, 150, 5000, 160], floor: [100, 7000, 110, 400] },
      cold: { ours: [300], floor: [200] },
    };
    expect(summarise(blocks)).toEqual({
      warm: { ours: 150, floor: 100 },
      cold: { ours: 300, floor: 200 },
    });
  });

  it('have no figure for what was not measured', () => {
    expect(summarise({ warm: { ours: [2], floor: [1] }, cold: none })).toEqual({
      warm: { ours: 2, floor: 1 },
    });
  });

  it('are rows with the ratio of both, which informs, and what ours takes more, which has a target', () => {
    const warm = { warm: { ours: 3, floor: 2 } };
    const pairs: PairsSection = {
      token: { ...warm, cold: { ours: 5, floor: 4 } },
      tokenAndDuties: warm,
      tokenUsualWay: warm,
      federatedToken: warm,
      discovery: warm,
      jwks: warm,
      authorizerToken: warm,
      authorizerApiKey: warm,
    };
    const rows = pairRows(pairs).map(({ figure, value, bound }) => [figure, value, bound]);
    expect(rows.slice(0, 5)).toEqual([
      ['CPU of a token, warm', 1.5, undefined],
      ['own part: CPU of a token, warm', 1, 190],
      ['CPU of a token, cold', 1.25, undefined],
      ['own part: CPU of a token, cold', 1, 350],
      ['CPU of a token, warm', 1.5, undefined],
    ]);
    expect(rows).toHaveLength(14);
  });
});
