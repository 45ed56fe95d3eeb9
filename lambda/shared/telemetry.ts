import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context } from 'aws-lambda';
import { metricNamespace } from '../../contract/alarms.ts';
import type { FunctionName } from '../../contract/environment.ts';
import { metricDimensions, requestMetrics } from '../../contract/request-metrics.ts';
import type { LogValue } from './exchange.ts';

export type LogFields = Readonly<Record<string, LogValue>>;

/** What is reported of one request. */
export interface RequestReport {
  readonly level: 'info' | 'warn' | 'error';
  readonly outcome: string;
  readonly statusCode: number;
  /** Milliseconds. */
  readonly latency: number;
  /** A client that proved who it is. */
  readonly clientId?: string | undefined;
  readonly counts: ReadonlySet<string>;
  readonly fields: LogFields;
}

/** One JSON line a request, and its metrics in embedded metric format. */
export interface Telemetry {
  report(report: RequestReport, context: Context): void;
}

function publishMetrics(metrics: Metrics, report: RequestReport): void {
  const { outcome, clientId, statusCode, latency, counts } = report;
  metrics.addDimension(metricDimensions.outcome, outcome);
  // A set that adds nothing: the totals, under the function's name alone, which alarms look at.
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
  metrics.publishStoredMetrics();
}

/** Telemetry on standard output, which Lambda gives to CloudWatch. */
export function createTelemetry(serviceName: FunctionName, persistentKeys: LogFields): Telemetry {
  const logger = new Logger({ serviceName, persistentKeys });
  const metrics = new Metrics({ namespace: metricNamespace, serviceName });
  return {
    report(report, context) {
      logger.addContext(context);
      logger[report.level](report.outcome, {
        outcome: report.outcome,
        status: report.statusCode,
        latency_ms: report.latency,
        ...report.fields,
      });
      publishMetrics(metrics, report);
    },
  };
}
