import { setTimeout as wait } from 'node:timers/promises';
import { UnavailableError } from '../../core/errors.ts';
import type { WriteLog } from './decision-log.ts';

/**
 * Milliseconds between two checks when something does not answer: long enough to cause no load,
 * short enough to wait for.
 */
const retryPause = 1000;

export interface Readiness {
  /** Why the process is not ready, or undefined if it is. */
  reason(): string | undefined;
  /** Makes the process not ready from now on. */
  stop(): void;
}

/**
 * Repeats the start check until it passes. It is not repeated after that: each response shows a
 * later outage, and own tokens are still verified.
 *
 * @param check throws UnavailableError if something does not answer.
 * @param onMistake receives every other error: the configuration is wrong.
 */
export function createReadiness(
  check: () => Promise<void>,
  onMistake: (error: unknown) => void,
  write: WriteLog,
): Readiness {
  const stopping = new AbortController();
  let reason: string | undefined = 'the start check is not done yet';

  async function run(): Promise<void> {
    try {
      await check();
      reason = undefined;
      write({ level: 'info', message: 'ready' });
    } catch (error) {
      if (!(error instanceof UnavailableError)) return onMistake(error);
      // Log each reason only once, not every second.
      if (reason !== error.message) {
        write({ level: 'warn', message: 'not ready', fields: { reason: error.message } });
      }
      reason = error.message;
      await wait(retryPause, undefined, { signal: stopping.signal });
      return run();
    }
  }

  run().catch((error: unknown) => {
    if (!stopping.signal.aborted) onMistake(error);
  });
  return {
    reason: () => (stopping.signal.aborted ? 'the process is stopping' : reason),
    stop: () => stopping.abort(),
  };
}
