import type { SelfTestResult } from '../../contract/function-events.ts';
import { UnavailableError } from '../../core/errors.ts';

/** How a run waits for others. Milliseconds. */
export interface Waiting {
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** Until Lambda ends the run. */
  readonly remaining: () => number;
}

/** The deployment did not come to its end in time. Its cause is the last trouble. */
export class DeploymentTimeoutError extends Error {
  override readonly name = 'DeploymentTimeoutError';
}

/** Between two looks: a new key's tag counts after seconds or minutes. */
const interval = 2000;
/** What the last look, its audit record and the answer take. */
const reserve = 15_000;

/** @returns a function that waits, and rejects once there is no time for another look. */
export function createPause({ sleep, remaining }: Waiting): (reason: string) => Promise<void> {
  return async (reason) => {
    if (remaining() < reserve + interval) {
      throw new DeploymentTimeoutError(`the deployment ran out of time: ${reason}`);
    }
    await sleep(interval);
  };
}

/**
 * Asks the token function to test itself until it has signed.
 *
 * @throws {DeploymentTimeoutError} with the last reason why it did not.
 */
export async function awaitSelfTest(
  selfTest: () => Promise<SelfTestResult>,
  waiting: Waiting,
): Promise<void> {
  const pause = createPause(waiting);
  for (;;) {
    const result = await selfTest().catch(describeUnavailability);
    if (result.ok) return;
    await pause(`the token function does not sign: ${result.reason ?? 'it gives no reason'}`);
  }
}

function describeUnavailability(error: unknown): SelfTestResult {
  if (error instanceof UnavailableError) return { ok: false, reason: error.message };
  throw error;
}
