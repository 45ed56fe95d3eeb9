import { describe, expect, it } from 'vitest';
import { createDeadlines } from '../../adapters/deadline.ts';

describe('the deadline of a request', () => {
  it('is shared by the requests of a tenth of a second, and by no later one', () => {
    let now = 1000;
    const deadline = createDeadlines(60_000, () => now);
    const first = deadline();
    now = 1099;
    expect(deadline()).toBe(first);
    now = 1100;
    expect(deadline()).not.toBe(first);
  });

  it('is never one that has passed, even if the clock jumped ahead for a moment', async () => {
    let now = 120_000;
    const deadline = createDeadlines(1, () => now);
    const first = deadline();
    await new Promise((resolve) => first.addEventListener('abort', resolve));
    now = 0;
    expect(deadline().aborted).toBe(false);
  });

  it('passes for a request that is waiting', async () => {
    const signal = createDeadlines(1)();
    expect(signal.aborted).toBe(false);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.aborted).toBe(true);
  });
});
