import { keyScheduleMinutes } from '../contract/alarms.ts';
import type { LocalFunctions } from './functions.ts';
import type { LogFile } from './log-file.ts';

/** Something that runs by the clock until it is closed. */
export interface Schedule {
  close(): Promise<void>;
}

/** Runs the key rotation by the clock, as the stack's EventBridge rule does. */
export function startKeySchedule(
  functions: Pick<LocalFunctions, 'rotateKeys'>,
  log: LogFile,
): Schedule {
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await functions.rotateKeys({ action: 'reconcile' });
    } catch (error) {
      log.writeError('key-rotation', error);
    }
  };
  const timer = setInterval(() => {
    running = run();
  }, keyScheduleMinutes * 60_000);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
