import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startKeySchedule } from '../../local/key-schedule.ts';

const log = { write: vi.fn(), writeError: vi.fn(), close: () => Promise.resolve() };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
});

describe('the schedule of the key rotation', () => {
  it('reconciles every five minutes until it is closed', async () => {
    const rotateKeys = vi.fn(() => Promise.resolve());
    const schedule = startKeySchedule({ rotateKeys }, log);
    await vi.advanceTimersByTimeAsync(2 * 300_000);
    expect(rotateKeys.mock.calls).toEqual([[{ action: 'reconcile' }], [{ action: 'reconcile' }]]);
    await schedule.close();
    await vi.advanceTimersByTimeAsync(300_000);
    expect(rotateKeys).toHaveBeenCalledTimes(2);
  });

  it('goes on after a run that failed, and notes it', async () => {
    const failure = new Error('no');
    const rotateKeys = vi.fn(() => Promise.reject(failure));
    const schedule = startKeySchedule({ rotateKeys }, log);
    await vi.advanceTimersByTimeAsync(2 * 300_000);
    expect(rotateKeys).toHaveBeenCalledTimes(2);
    expect(log.writeError).toHaveBeenCalledWith('key-rotation', failure);
    await schedule.close();
  });
});
