/** A schedule that runs until it is closed. */
export interface Schedule {
  close(): Promise<void>;
}

interface ScheduleOptions {
  /** Seconds between the end of a run and the next one. */
  readonly seconds: number;
  /** Seconds until the first run; the same if left out. */
  readonly firstAfter?: number;
}

/**
 * Runs something again and again. A run ends before the next one begins. The schedule does not keep
 * the process running.
 *
 * @param run must not fail.
 */
export function startSchedule(
  run: () => Promise<void>,
  { seconds, firstAfter = seconds }: ScheduleOptions,
): Schedule {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const wait = (time: number): void => {
    timer = setTimeout(() => {
      running = run().then(() => {
        if (!isOver) wait(seconds);
      });
    }, time * 1000).unref();
  };
  wait(firstAfter);
  return {
    close: async () => {
      isOver = true;
      clearTimeout(timer);
      await running;
    },
  };
}
