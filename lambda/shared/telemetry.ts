import type { Context } from 'aws-lambda';
import type { FunctionName } from '../../contract/environment.ts';
import type { LogValue } from './exchange.ts';
import { createLogLines } from './log-line.ts';
import { formatMetricLine, type MetricSource } from './metric-line.ts';
import { readMetricNamespace } from './metric-namespace.ts';

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
  /** Values of metrics that not every request has. */
  readonly measures?: ReadonlyMap<string, number> | undefined;
  readonly fields: LogFields;
}

/** One JSON line a request, and its metrics in embedded metric format. */
export interface Telemetry {
  report(report: RequestReport, context: Context): void;
}

/**
 * Telemetry on standard output, which Lambda gives to CloudWatch line by line. Both lines are what
 * Powertools writes, to the letter; they go out in one write.
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
      const now = Date.now();
      const traceHeader = process.env['_X_AMZN_TRACE_ID'];
      const logLine = formatLogLine(report, context, { now, traceHeader });
      process.stdout.write(`${logLine}${formatMetricLine(source, report, now)}`);
    },
  };
}
