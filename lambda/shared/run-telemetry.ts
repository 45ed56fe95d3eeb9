import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { FunctionName } from '../../contract/environment.ts';
import { readMetricNamespace } from './telemetry.ts';

/** The report of one run that no request started. */
export interface RunReport {
  readonly level: 'info' | 'warn' | 'error';
  readonly outcome: string;
  /** Further log fields in snake_case. Never a credential. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Values by metric name. */
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * One JSON line per run, and its metrics in embedded metric format with the dimension `service`.
 */
export interface RunTelemetry {
  report(report: RunReport): void;
}

/** Telemetry on standard output, which Lambda sends to CloudWatch. */
export function createRunTelemetry(serviceName: FunctionName): RunTelemetry {
  const logger = new Logger({ serviceName });
  const metrics = new Metrics({ namespace: readMetricNamespace(process.env), serviceName });
  return {
    report({ level, outcome, fields, metrics: values }) {
      logger[level](outcome, { outcome, ...fields });
      const entries = Object.entries(values);
      for (const [name, value] of entries) metrics.addMetric(name, MetricUnit.NoUnit, value);
      // Without a metric, Powertools writes a warning.
      if (entries.length > 0) metrics.publishStoredMetrics();
    },
  };
}
