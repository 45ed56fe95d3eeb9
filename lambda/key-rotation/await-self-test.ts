import { describeDenial } from '../../adapters/access-denied.ts';
import type { SelfTestResult } from '../../contract/function-events.ts';
import { UnavailableError } from '../../core/errors.ts';

/** How a run waits. Milliseconds. */
export interface Waiting {
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** The time until Lambda ends the run. */
  readonly remaining: () => number;
}

/** The deployment did not finish in time. The message ends with the last reason to wait. */
export class DeploymentTimeoutError extends Error {
  override readonly name = 'DeploymentTimeoutError';
}

/** Milliseconds of the first pause: most waits of a deployment take seconds. */
const firstPause = 2000;
/** Factor by which each pause is longer than the one before: some waits take minutes. */
const pauseGrowth = 1.5;
/** Milliseconds of the longest pause. A deployment may end late by this time. */
const longestPause = 10_000;
/** Milliseconds for the last attempt, its audit record and the response. */
const reserve = 15_000;

/** @returns a function that waits, and rejects if there is no time for another attempt. */
export function createPause({ sleep, remaining }: Waiting): (reason: string) => Promise<void> {
  let pause = firstPause;
  return async (reason) => {
    if (remaining() < reserve + pause) {
      throw new DeploymentTimeoutError(`the deployment ran out of time: ${reason}`);
    }
    await sleep(pause);
    pause = Math.min(pause * pauseGrowth, longestPause);
  };
}

/**
 * Repeats the token function's self-test until it signs.
 *
 * @throws {DeploymentTimeoutError} with the last reason why it did not sign.
 */
export async function awaitSelfTest(
  selfTest: () => Promise<SelfTestResult>,
  waiting: Waiting,
): Promise<void> {
  const pause = createPause(waiting);
  for (;;) {
    const result = await selfTest().catch(describePassing);
    if (result.ok) return;
    await pause(`the token function does not sign: ${result.reason ?? 'it gives no reason'}`);
  }
}

function describePassing(error: unknown): SelfTestResult {
  const reason =
    describeDenial(error) ?? (error instanceof UnavailableError ? error.message : undefined);
  if (reason === undefined) throw error;
  return { ok: false, reason };
}
