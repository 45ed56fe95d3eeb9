import { describePassing } from '../../adapters/aws-errors.ts';
import { FunctionFailedError } from '../../adapters/lambda/invocation.ts';
import type { SelfTestResult } from '../../contract/function-events.ts';

/** How a run waits. Milliseconds. */
export interface Waiting {
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** The time until Lambda ends the run. */
  readonly remaining: () => number;
}

/** The deployment did not finish in time. The message ends with the last reason to wait. */
class DeploymentTimeoutError extends Error {
  override readonly name = 'DeploymentTimeoutError';
}

/** The token function cannot run its self-test. */
class TokenFunctionError extends Error {
  override readonly name = 'TokenFunctionError';
}

/** One self-test, or why there was none. */
type Attempt = SelfTestResult & {
  /** Whether the code of the token function failed. */
  readonly crashed?: boolean;
};

/** Milliseconds of the first pause: most waits of a deployment take seconds. */
const firstPause = 2000;
/** Factor by which each pause is longer than the one before: some waits take minutes. */
const pauseGrowth = 1.5;
/** Milliseconds of the longest pause. A deployment may end late by this time. */
const longestPause = 10_000;
/** Milliseconds for the last attempt, its audit record and the response. */
const reserve = 15_000;

/**
 * Failures of the token function's code, one after another, that end a deployment: with the pauses,
 * 46 seconds. Permissions that do not count yet do not make the code fail, so no time cures this.
 */
const maxCrashes = 8;

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
 * @throws {TokenFunctionError} if the code of the token function fails each time.
 */
export async function awaitSelfTest(
  selfTest: () => Promise<SelfTestResult>,
  waiting: Waiting,
): Promise<void> {
  const pause = createPause(waiting);
  let crashes = 0;
  for (;;) {
    const result: Attempt = await selfTest().catch(toAttempt);
    if (result.ok) return;
    crashes = result.crashed === true ? crashes + 1 : 0;
    if (crashes === maxCrashes) {
      throw new TokenFunctionError(`the token function fails each time: ${result.reason}`);
    }
    await pause(`the token function does not sign: ${result.reason ?? 'it gives no reason'}`);
  }
}

function toAttempt(error: unknown): Attempt {
  const reason = describePassing(error);
  if (reason === undefined) throw error;
  return { ok: false, reason, crashed: error instanceof FunctionFailedError };
}
