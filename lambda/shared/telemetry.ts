import type { Context } from 'aws-lambda';
import type { FunctionName } from '../../contract/environment.ts';
import { createLogLines } from './log-line.ts';
import { formatMetricLine, type MetricSource } from './metric-line.ts';
import { readMetricNamespace } from './metric-namespace.ts';
import type { LogFields, RequestReport } from './request-report.ts';

/** One JSON line per request, and its metrics in embedded metric format. */
export interface Telemetry {
  report(report: RequestReport, context: Context): void;
}

/**
 * Telemetry on standard output, which Lambda sends to CloudWatch line by line. Both lines are
 * identical to those of Powertools, and are written together.
 */
export function createTelemetry(
  service: FunctionName,
  persistentKeys: LogFields,
  { byClient }: Pick<MetricSource, 'byClient'> = { byClient: false },
): Telemetry {
  const formatLogLine = createLogLines(service, persistentKeys, process.env);
  const source = { namespace: readMetricNamespace(process.env), service, byClient };
  return {
    report(report, context) {
      const time = Date.now();
      const traceHeader = process.env['_X_AMZN_TRACE_ID'];
      const logLine = formatLogLine(report, context, { time, traceHeader });
      const { functionVersion } = context;
      const metricLine = formatMetricLine(source, report, { time, functionVersion });
      process.stdout.write(`${logLine}${metricLine}`);
    },
  };
}
