import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { commonMetricNamespace } from '../../contract/key-metrics.ts';
import {
  functionVersionProperty,
  metricDimensions,
  requestMetrics,
} from '../../contract/request-metrics.ts';
import type { LogFields, RequestReport, Telemetry } from '../../lambda/shared/telemetry.ts';

function publishMetrics(metrics: Metrics, report: RequestReport, functionVersion: string): void {
  const { outcome, clientId, statusCode, latency, counts, measures } = report;
  metrics.addDimension(metricDimensions.outcome, outcome);
  // A set that adds nothing: the totals, only under the function's name.
  metrics.addDimensions({});
  if (clientId !== undefined) metrics.addDimensions({ [metricDimensions.clientId]: clientId });
  metrics.addMetric(requestMetrics.requests, MetricUnit.Count, 1);
  metrics.addMetric(
    requestMetrics.refusals,
    MetricUnit.Count,
    Number(statusCode >= 400 && statusCode < 500),
  );
  metrics.addMetric(requestMetrics.failures, MetricUnit.Count, Number(statusCode >= 500));
  metrics.addMetric(requestMetrics.latency, MetricUnit.Milliseconds, latency);
  for (const name of counts) metrics.addMetric(name, MetricUnit.Count, 1);
  for (const [name, value] of measures ?? []) metrics.addMetric(name, MetricUnit.Count, value);
  metrics.addMetadata(functionVersionProperty, functionVersion);
  metrics.publishStoredMetrics();
}

/** The telemetry of a request by Powertools: what the service's own is held to. */
export function createPowertoolsTelemetry(
  serviceName: string,
  persistentKeys: LogFields,
): Telemetry {
  const logger = new Logger({ serviceName, persistentKeys });
  const metrics = new Metrics({ namespace: commonMetricNamespace, serviceName });
  return {
    report(report, context) {
      logger.addContext(context);
      logger[report.level](report.outcome, {
        outcome: report.outcome,
        status: report.statusCode,
        latency_ms: report.latency,
        ...report.fields,
      });
      publishMetrics(metrics, report, context.functionVersion);
    },
  };
}
