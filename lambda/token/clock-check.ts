import { maxClockDifference } from '../../contract/limits.ts';
import { requestMetrics } from '../../contract/request-metrics.ts';
import { UnavailableError } from '../../core/errors.ts';
import type { Endpoint } from '../shared/http-function.ts';

/**
 * An endpoint that answers 503 while this host's clock and API Gateway's differ. Either of them may
 * be wrong, so no token is issued with a time that cannot be trusted.
 */
export function withClockCheck(endpoint: Endpoint): Endpoint {
  return (request, exchange) => {
    const difference = Math.abs(exchange.startedAt - request.receivedAt) / 1000;
    // Not `>`: a missing time must also fail the check.
    if (!(difference <= maxClockDifference)) {
      exchange.counts.add(requestMetrics.clockDifferences);
      throw new UnavailableError(`the clock differs from API Gateway's by ${difference} s`);
    }
    return endpoint(request, exchange);
  };
}
