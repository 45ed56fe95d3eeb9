import { maxClockDifference } from '../../contract/limits.ts';
import { requestMetrics } from '../../contract/request-metrics.ts';
import { UnavailableError } from '../../core/errors.ts';
import type { Exchange } from '../shared/exchange.ts';
import type { HttpRequest } from '../shared/http-message.ts';

/**
 * Requires that this host's clock and API Gateway's agree. Either of them may be wrong, so no token
 * is issued with a time that cannot be trusted.
 *
 * @throws {UnavailableError}
 */
export function assertClock(request: HttpRequest, exchange: Exchange): void {
  const difference = Math.abs(exchange.startedAt - request.receivedAt) / 1000;
  // Not `>`: a missing time must also fail the check.
  if (difference <= maxClockDifference) return;
  exchange.counts.add(requestMetrics.clockDifferences);
  throw new UnavailableError(`the clock differs from API Gateway's by ${difference} s`);
}
