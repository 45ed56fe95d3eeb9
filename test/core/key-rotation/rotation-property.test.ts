import { describe, expect, it } from 'vitest';
import { playHistories } from '../../../lab/suites/rotation/simulation/play-histories.ts';
import { figure } from '../../support/figure.ts';

describe('the rotation in three regions', () => {
  it('lets every unexpired token verify everywhere at every instant of any history', async () => {
    // `npm run test:rotation` plays thousands.
    const counts = await playHistories({ histories: 60, seed: 20_261_120 });
    expect(counts.checks).toBeGreaterThan(60_000);
    figure('rotation', { ...counts });
  });
});
