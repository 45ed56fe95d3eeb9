import { setTimeout as wait } from 'node:timers/promises';
import { UnavailableError } from '../core/errors.ts';
import type { WriteLog } from './decision-log.ts';

/** Milliseconds between two checks while something does not answer: no burden, no long wait. */
const retryPause = 1000;

export interface Readiness {
  /** Why the process is not ready, or undefined if it is. */
  reason(): string | undefined;
  /** From now on the process is not ready any more. */
  stop(): void;
}

/**
 * Runs the start check until it passes once. What passed is not checked again: an outage after the
 * start shows in each answer, and own tokens are verified through it.
 *
 * @param check throws UnavailableError while something does not answer.
 * @param onMistake gets every other error: the configuration is wrong.
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
      // Each reason once, not once per second.
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
