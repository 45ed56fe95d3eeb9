import { expect, it } from 'vitest';
import { ways } from '../../adapters/management/world.ts';
import { figure } from '../../support/figure.ts';
import type { LivesCounts } from '../../support/lives/lives-world.ts';
import { playLives } from '../../support/lives/play-lives.ts';

/** `HISTORIES=5000 SEED=1` plays others. */
const { HISTORIES: histories = '300', SEED: firstSeed = '20261122' } = process.env;

it.each(ways)(
  'no change through the %s replaces what its operator has not seen, also if a record was deleted and created again',
  async (way) => {
    const counts: LivesCounts = {
      operations: 0,
      writes: 0,
      conflicts: 0,
      creations: 0,
      lateWrites: 0,
      lateRefused: 0,
      throttled: 0,
      lostAnswers: 0,
    };
    for (let index = 0; index < Number(histories); index += 1) {
      const seed = Number(firstSeed) + index;
      expect(await playLives(seed, counts, way), `seed ${seed}`).toEqual([]);
    }
    const { throttled, lostAnswers, ...common } = counts;
    // Otherwise the histories show nothing.
    expect(Math.min(...Object.values(way === 'tables' ? common : counts))).toBeGreaterThan(100);
    figure(`lives of records through the ${way}`, {
      histories,
      seed: firstSeed,
      ...common,
      ...(way === 'function' && { throttled, lostAnswers }),
    });
  },
);
