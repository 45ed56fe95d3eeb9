import type { RotationReport } from '../../contract/function-events.ts';
import { keyScheduleMinutes } from '../../contract/key-metrics.ts';
import type { LocalFunctions } from './functions.ts';
import type { LogFile } from './log-file.ts';

/**
 * Runs something again and again until it is closed. A run ends before the next one begins. The
 * schedule does not keep the process running.
 *
 * @param run must not fail.
 * @param seconds between the end of a run and the next one.
 */
function startSchedule(run: () => Promise<void>, seconds: number) {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const wait = (): void => {
    timer = setTimeout(() => {
      running = run().then(() => {
        if (!isOver) wait();
      });
    }, seconds * 1000).unref();
  };
  wait();
  return {
    close: async () => {
      isOver = true;
      clearTimeout(timer);
      await running;
    },
  };
}

interface KeyScheduleOptions {
  /** Seconds between two runs. The default is that of a deployment. */
  readonly keyScheduleSeconds?: number;
  readonly onRotation?: (report: RotationReport) => void;
}

/**
 * Runs the key rotation and the canary on a schedule, as the stack's EventBridge rules do. When a run
 * fails, the next one does its work.
 */
export function startKeySchedule(
  functions: Pick<LocalFunctions, 'rotateKeys' | 'checkKeys'>,
  log: LogFile,
  { keyScheduleSeconds = keyScheduleMinutes * 60, onRotation }: KeyScheduleOptions = {},
) {
  const run = async (): Promise<void> => {
    try {
      const report = await functions.rotateKeys({ action: 'reconcile' });
      onRotation?.(report);
      await functions.checkKeys();
    } catch (error) {
      log.writeError('key-rotation', error);
    }
  };
  return startSchedule(run, keyScheduleSeconds);
}
