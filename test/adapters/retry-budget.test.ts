import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callProfiles } from '../../adapters/call-profile.ts';
import { RetryBudget } from '../../adapters/retries.ts';

const { request } = callProfiles;
const throttled = { errorType: 'THROTTLING' };

/** Makes one request whose attempts end as told, and says how many calls it took. */
async function callsOf(budget: RetryBudget, isGood: () => boolean): Promise<number> {
  let token = await budget.acquireInitialRetryToken();
  for (let calls = 1; ; calls += 1) {
    if (isGood()) {
      budget.recordSuccess();
      return calls;
    }
    try {
      token = await budget.refreshRetryTokenForRetry(token, throttled);
    } catch {
      return calls;
    }
  }
}

describe('the retry budget', () => {
  it('keeps calls within 1.2 times the requests, but for what it starts with or saved', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 600, maxLength: 600 }), async (run) => {
        const budget = new RetryBudget(request);
        let position = 0;
        let calls = 0;
        const requests = 200;
        for (let count = 0; count < requests; count += 1) {
          calls += await callsOf(budget, () => run[position++] ?? false);
        }
        expect(calls).toBeLessThanOrEqual(1.2 * requests + request.initialRetries);
      }),
      { numRuns: 50 },
    );
  });

  it('lets every retry pass if one call in ten fails', async () => {
    const budget = new RetryBudget(request);
    let call = 0;
    for (let count = 0; count < 300; count += 1) {
      let good = false;
      await callsOf(budget, () => (good = ++call % 10 !== 0));
      expect(good).toBe(true);
    }
  });

  it('tries a call no more often than its profile allows', async () => {
    const budget = new RetryBudget({ ...request, initialRetries: 100 });
    expect(await callsOf(budget, () => false)).toBe(request.maxAttempts);
  });

  it.each(['CLIENT_ERROR', 'SERVER_ERROR'])('retries no %s', async (errorType) => {
    const budget = new RetryBudget(request);
    const token = await budget.acquireInitialRetryToken();
    await expect(budget.refreshRetryTokenForRetry(token, { errorType })).rejects.toThrow(
      'no retry is due',
    );
  });

  it('waits at random, longer with each attempt', async () => {
    const budget = new RetryBudget({ ...request, initialRetries: 1000, maxAttempts: 3 });
    const first = await budget.acquireInitialRetryToken();
    expect(first.getRetryDelay()).toBe(0);
    const delays: number[][] = [[], []];
    for (let count = 0; count < 200; count += 1) {
      let token = first;
      for (const list of delays) {
        token = await budget.refreshRetryTokenForRetry(token, throttled);
        list.push(token.getRetryDelay());
      }
    }
    for (const [index, list] of delays.entries()) {
      const longest = request.retryDelay * 2 ** index;
      expect(Math.max(...list)).toBeLessThanOrEqual(longest);
      // 200 draws: all in the lower half has the odds of 2^-200.
      expect(Math.max(...list)).toBeGreaterThan(longest / 2);
      expect(new Set(list).size).toBeGreaterThan(1);
    }
  });
});
