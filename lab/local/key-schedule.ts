import type { RotationReport } from '../../contract/function-events.ts';
import { keyScheduleMinutes } from '../../contract/key-metrics.ts';
import type { LocalFunctions } from './functions.ts';
import type { LogFile } from './log-file.ts';
import { type Schedule, startSchedule } from './schedule.ts';

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
): Schedule {
  const run = async (): Promise<void> => {
    try {
      const report = await functions.rotateKeys({ action: 'reconcile' });
      onRotation?.(report);
      await functions.checkKeys();
    } catch (error) {
      log.writeError('key-rotation', error);
    }
  };
  return startSchedule(run, { seconds: keyScheduleSeconds });
}
