import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RotationReport } from '../../../contract/function-events.ts';
import { startKeySchedule } from '../../../lab/local/schedule.ts';

const report: RotationReport = {
  region: 'slc',
  status: 'signing',
  next: [],
  done: [],
  refused: [],
};
const checkKeys = vi.fn(() => Promise.resolve());
const log = {
  write: vi.fn(),
  append: vi.fn(),
  writeError: vi.fn(),
  close: () => Promise.resolve(),
};

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
});

describe('the schedule of the key rotation', () => {
  it('reconciles every five minutes until it is closed', async () => {
    const rotateKeys = vi.fn(() => Promise.resolve(report));
    const onRotation = vi.fn();
    const schedule = startKeySchedule({ rotateKeys, checkKeys }, log, { onRotation });
    await vi.advanceTimersByTimeAsync(2 * 300_000);
    expect(rotateKeys.mock.calls).toEqual([[{ action: 'reconcile' }], [{ action: 'reconcile' }]]);
    expect(onRotation.mock.calls).toEqual([[report], [report]]);
    expect(checkKeys).toHaveBeenCalledTimes(2);
    await schedule.close();
    await vi.advanceTimersByTimeAsync(300_000);
    expect(rotateKeys).toHaveBeenCalledTimes(2);
  });

  it('goes on after a run that failed, and notes it', async () => {
    const failure = new Error('no');
    const rotateKeys = vi.fn(() => Promise.reject(failure));
    const schedule = startKeySchedule({ rotateKeys, checkKeys }, log);
    await vi.advanceTimersByTimeAsync(2 * 300_000);
    expect(rotateKeys).toHaveBeenCalledTimes(2);
    expect(log.writeError).toHaveBeenCalledWith('key-rotation', failure);
    await schedule.close();
  });

  it('waits for a run that takes long before it begins the next', async () => {
    let finish = (): void => {};
    const rotateKeys = vi.fn(
      () =>
        new Promise<RotationReport>((resolve) => {
          finish = () => resolve(report);
        }),
    );
    const schedule = startKeySchedule({ rotateKeys, checkKeys }, log, { keyScheduleSeconds: 1 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(rotateKeys).toHaveBeenCalledTimes(1);
    finish();
    await vi.advanceTimersByTimeAsync(1000);
    expect(rotateKeys).toHaveBeenCalledTimes(2);
    finish();
    await schedule.close();
  });
});
