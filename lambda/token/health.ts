import { noStoreHeaders } from '../../contract/error-body.ts';
import type { SelfTestResult } from '../../contract/function-events.ts';
import { healthyBody } from '../../contract/health.ts';
import { seconds } from '../../core/clock.ts';
import { describeError } from '../../core/describe-error.ts';
import { UnavailableError } from '../../core/errors.ts';
import type { TokenPorts, TokenSettings } from '../../core/token/issue-token.ts';
import { runSelfTest } from '../../core/token/self-test.ts';
import type { Endpoint } from '../shared/dispatch.ts';
import { jsonResponse } from '../shared/http-message.ts';
import { assertClock } from './token-endpoint.ts';

/**
 * Milliseconds for which the result of a self-test is reused. When a region cannot sign, one round
 * of health checks notices it, and an instance signs at most six times a minute for the check.
 */
const selfTestMaxAge = 10_000;

/** Runs the self-test and returns its result. It never throws. */
export type RunSelfTest = (startedAt: number, signal: AbortSignal) => Promise<SelfTestResult>;

export function createSelfTest(
  ports: Pick<TokenPorts, 'clients' | 'listSigningKeys' | 'sign'>,
  settings: TokenSettings,
): RunSelfTest {
  return async (startedAt, signal) => {
    try {
      await runSelfTest(ports, { now: seconds(startedAt), signal }, settings);
      return { ok: true };
    } catch (error) {
      const { error_name, error_message } = describeError(error);
      return { ok: false, reason: `${String(error_name)}: ${String(error_message)}` };
    }
  };
}

/** `GET /health`, for load balancers: only whether this region can issue tokens. */
export function createHealthEndpoint(selfTest: RunSelfTest): Endpoint {
  let testedAt = Number.NEGATIVE_INFINITY;
  let result: Promise<SelfTestResult> | undefined;
  return async (request, exchange) => {
    assertClock(request, exchange);
    const { startedAt, signal } = exchange;
    if (result === undefined || startedAt < testedAt || startedAt - testedAt >= selfTestMaxAge) {
      testedAt = startedAt;
      result = selfTest(startedAt, signal);
    }
    const { ok, reason } = await result;
    if (!ok) throw new UnavailableError(`the self-test failed: ${reason}`);
    exchange.outcome = 'healthy';
    return jsonResponse(200, healthyBody, noStoreHeaders);
  };
}
