import { authorizerMetrics } from '../../contract/request-metrics.ts';
import { describeError } from '../../core/describe-error.ts';
import { formatMilliseconds } from '../../core/rfc3339.ts';
import type { KeyFetch } from '../../core/verifier/jwks-cache.ts';

/**
 * One line of the log for each fetch of a provider's keys, which names the provider. It is also a
 * metric in embedded metric format. The metric has no dimension: a customer that registers providers
 * creates no metrics, and the maximum is the slowest provider.
 *
 * @param time milliseconds since the epoch.
 */
export function formatProviderFetch(
  { issuer, milliseconds, failure }: KeyFetch,
  Namespace: string,
  time: number,
): string {
  const name = authorizerMetrics.providerFetch;
  const { error_name, error_message } = describeError(failure);
  const line = {
    _aws: {
      Timestamp: time,
      CloudWatchMetrics: [
        { Namespace, Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Milliseconds' }] },
      ],
    },
    level: failure === undefined ? 'INFO' : 'WARN',
    message: 'provider_fetch',
    timestamp: formatMilliseconds(time),
    service: 'authorizer',
    issuer,
    error_name,
    error_message,
    [name]: milliseconds,
  };
  return `${JSON.stringify(line)}\n`;
}
