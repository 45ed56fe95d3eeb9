import { describe, expect, it } from 'vitest';
import { figure } from '../../support/figure.ts';
import { playHistories } from '../../support/rotation/play-histories.ts';

describe('the rotation in three regions', () => {
  it('lets every unexpired token verify everywhere at every instant of any history', async () => {
    // `npm run test:rotation` plays thousands.
    const counts = await playHistories({ histories: 60, seed: 20_261_120 });
    expect(counts.checks).toBeGreaterThan(60_000);
    figure('rotation', { ...counts });
  });
});
