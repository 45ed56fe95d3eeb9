import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { commonMetricNamespace } from '../../contract/key-metrics.ts';
import {
  functionVersionProperty,
  metricDimensions,
  requestMetrics,
} from '../../contract/request-metrics.ts';
import type { LogFields, RequestReport, Telemetry } from '../../lambda/shared/telemetry.ts';

/** Of a request that succeeded or was refused, and has no metrics of its own. */
function publishMetrics(metrics: Metrics, { outcome }: RequestReport, version: string): void {
  metrics.addDimension(metricDimensions.outcome, outcome);
  metrics.addMetric(requestMetrics.requests, MetricUnit.Count, 1);
  metrics.addMetadata(functionVersionProperty, version);
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
