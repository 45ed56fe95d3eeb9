import { expect, it } from 'vitest';
import { figure } from '../../support/figure.ts';
import { noCounts, playHistory } from '../../support/revocation/play-history.ts';

/** `HISTORIES=5000 SEED=1` plays others. */
const { HISTORIES: histories = '100', SEED: firstSeed = '20261122' } = process.env;

it('no token of a client that was disabled, deleted or cut off is accepted after the bound', async () => {
  const counts = noCounts();
  for (let index = 0; index < Number(histories); index += 1) {
    const seed = Number(firstSeed) + index;
    await playHistory(seed, counts).catch((cause: unknown) => {
      throw new Error(`seed ${seed}: ${String(cause)}`, { cause });
    });
  }
  const { outcomes, ...others } = counts;
  // Otherwise the histories show nothing.
  expect(Math.min(...Object.values(outcomes), others.revocations)).toBeGreaterThan(50);
  figure('revocation', { histories, seed: firstSeed, ...others, ...outcomes });
});
