import { metricDimensions, requestMetrics } from '../../contract/request-metrics.ts';
import type { RequestReport } from './telemetry.ts';

function valuesOf(report: RequestReport): Readonly<Record<string, number>> {
  const { statusCode, latency, counts, measures } = report;
  const values: Record<string, number> = {
    [requestMetrics.requests]: 1,
    [requestMetrics.refusals]: Number(statusCode >= 400 && statusCode < 500),
    [requestMetrics.failures]: Number(statusCode >= 500),
    [requestMetrics.latency]: latency,
  };
  for (const name of counts) values[name] = 1;
  for (const [name, value] of measures ?? []) values[name] = value;
  return values;
}

function unitOf(name: string): string {
  return name === requestMetrics.latency ? 'Milliseconds' : 'Count';
}

/** Under which names a function's metrics stand. */
export interface MetricSource {
  readonly namespace: string;
  readonly service: string;
}

/**
 * The metrics of a request in embedded metric format, as one line of the log.
 *
 * @param now milliseconds since the epoch.
 */
export function formatMetricLine(
  { namespace, service }: MetricSource,
  report: RequestReport,
  now: number,
): string {
  const values = valuesOf(report);
  const { outcome, clientId } = report;
  const directive = {
    Namespace: namespace,
    Dimensions: [
      ['service', metricDimensions.outcome],
      // The totals, under the function's name alone, which alarms look at.
      ['service'],
      ...(clientId === undefined ? [] : [['service', metricDimensions.clientId]]),
    ],
    Metrics: Object.keys(values).map((name) => ({ Name: name, Unit: unitOf(name) })),
  };
  const line = JSON.stringify({
    _aws: { Timestamp: now, CloudWatchMetrics: [directive] },
    service,
    [metricDimensions.outcome]: outcome,
    [metricDimensions.clientId]: clientId,
    ...values,
  });
  return `${line}\n`;
}
