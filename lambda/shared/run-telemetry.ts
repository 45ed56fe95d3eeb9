import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { FunctionName } from '../../contract/environment.ts';
import { readMetricNamespace } from './metric-namespace.ts';

/** What is reported of one run of a function that no request started. */
export interface RunReport {
  readonly level: 'info' | 'warn' | 'error';
  readonly outcome: string;
  /** What the log line says as well, snake_case. Never a credential. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Values by metric name. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** One JSON line a run, and its metrics in embedded metric format only under `service`. */
export interface RunTelemetry {
  report(report: RunReport): void;
}

/** Telemetry on standard output, which Lambda gives to CloudWatch. */
export function createRunTelemetry(serviceName: FunctionName): RunTelemetry {
  const logger = new Logger({ serviceName });
  const metrics = new Metrics({ namespace: readMetricNamespace(process.env), serviceName });
  return {
    report({ level, outcome, fields, metrics: values }) {
      logger[level](outcome, { outcome, ...fields });
      for (const [name, value] of Object.entries(values)) {
        metrics.addMetric(name, MetricUnit.NoUnit, value);
      }
      metrics.publishStoredMetrics();
    },
  };
}
