import { dailyRunMinutes } from '../../contract/notices.ts';
import type { LocalFunctions } from './functions.ts';
import type { LogFile } from './log-file.ts';
import { type Schedule, startSchedule } from './schedule.ts';

/**
 * Attempts the daily run as the stack's schedule does: it is made if the last one is of before the
 * hour at which a day's run is due. The first attempt is made when the run has said that it is ready.
 */
export function startDailySchedule(
  makeDailyRun: NonNullable<LocalFunctions['makeDailyRun']>,
  log: LogFile,
): Schedule {
  const attempt = async (): Promise<void> => {
    try {
      await makeDailyRun();
    } catch (error) {
      log.writeError('daily-run', error);
    }
  };
  return startSchedule(attempt, { seconds: dailyRunMinutes * 60, firstAfter: 0 });
}
