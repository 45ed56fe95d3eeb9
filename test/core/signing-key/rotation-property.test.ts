import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figure } from '../../support/figure.ts';
import { History } from '../../support/rotation/history.ts';

/** More in the script `test:rotation`, which sets it; see the README. */
const histories = Number(process.env.ROTATION_HISTORIES ?? 100);
const seed = Number(process.env.ROTATION_SEED ?? 20_261_120);

const troubles = fc.record({
  seed: fc.nat(),
  crashes: fc.boolean(),
  missedRuns: fc.boolean(),
  duplicateRuns: fc.boolean(),
  operators: fc.boolean(),
  sabotage: fc.boolean(),
  isolation: fc.constant(false),
});

/** A lag beyond what is allowed for is noticed by runs of the rotation, so these all happen. */
const isolation = fc.record({
  seed: fc.nat(),
  crashes: fc.constant(false),
  missedRuns: fc.constant(false),
  duplicateRuns: fc.constant(false),
  operators: fc.boolean(),
  sabotage: fc.boolean(),
  isolation: fc.constant(true),
});

const options = fc.oneof({ arbitrary: troubles, weight: 3 }, { arbitrary: isolation, weight: 1 });

describe('the rotation in three regions', () => {
  it('lets every unexpired token verify everywhere at every instant, whatever happens to it', async () => {
    const total = { issued: 0, verified: 0 };
    await fc.assert(
      fc.asyncProperty(options, async (history) => {
        const { issued, verified } = await new History(history).play();
        total.issued += issued;
        total.verified += verified;
      }),
      { numRuns: histories, seed, endOnFailure: true },
    );
    expect(total.verified).toBeGreaterThan(histories * 1000);
    figure('rotation', { histories, tokens: total.issued, verifications: total.verified });
  }, 3_600_000);
});
