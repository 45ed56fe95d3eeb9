import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDeadlines, inTime } from '../../adapters/deadline.ts';

afterEach(() => vi.useRealTimers());

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

describe('a limit on the time of a call', () => {
  const waitFor = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  it('ends the call when the time is over', async () => {
    await expect(inTime(1, undefined, waitFor)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('ends the call with the signal of the caller, whose reason it keeps', async () => {
    const controller = new AbortController();
    const call = inTime(60_000, controller.signal, waitFor);
    controller.abort(new Error('the caller went away'));
    await expect(call).rejects.toThrow('the caller went away');
  });

  it('has passed for a call that begins after the caller has gone', async () => {
    const call = inTime(60_000, AbortSignal.abort(), async (signal) => signal.aborted);
    expect(await call).toBe(true);
  });

  it('is forgotten when the call has ended', async () => {
    vi.useFakeTimers();
    const outer = new AbortController();
    const signal = await inTime(1000, outer.signal, async (own) => own);
    vi.advanceTimersByTime(1000);
    outer.abort();
    expect(signal.aborted).toBe(false);
  });
});
