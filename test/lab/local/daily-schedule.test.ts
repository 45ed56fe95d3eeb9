import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startDailySchedule } from '../../../lab/local/schedule.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('attempts the daily run at once and every quarter of an hour, also after a failure', async () => {
  const failure = new Error('no');
  const makeDailyRun = vi.fn(() => Promise.reject(failure));
  const writeError = vi.fn();
  const log = { write: vi.fn(), append: vi.fn(), writeError, close: () => Promise.resolve() };
  const schedule = startDailySchedule(makeDailyRun, log);
  expect(makeDailyRun).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(makeDailyRun).toHaveBeenCalledTimes(1);
  expect(writeError).toHaveBeenCalledWith('daily-run', failure);
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  expect(makeDailyRun).toHaveBeenCalledTimes(2);
  await schedule.close();
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  expect(makeDailyRun).toHaveBeenCalledTimes(2);
});
