import { describe, expect, it } from 'vitest';
import { figure } from '../../support/figure.ts';
import { playHistories } from '../../support/rotation/play-histories.ts';
import type { Trouble } from '../../support/rotation/story.ts';

const kinds = new Set<Trouble['kind']>([
  'cut off',
  'sabotage',
  'remove',
  'unreachable',
  'KMS is down',
  'runs are missed',
  'crash',
  'lost answer',
  'runs at once',
  'rotate',
  'new config',
  'withdraw',
]);

describe('the rotation in three regions', () => {
  it('lets every unexpired token verify everywhere at every instant, whatever happens to it', async () => {
    // `npm run test:rotation` plays thousands.
    const counts = await playHistories({ histories: 60, seed: 20_261_120, kinds });
    expect(counts.checks).toBeGreaterThan(60_000);
    figure('rotation', { ...counts });
  });
});
