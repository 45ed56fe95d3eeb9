import type { FunctionName } from '../../contract/function-names.ts';
import { createLogLines, type LogEntry } from './telemetry.ts';

/** The report of one run that no request started. */
export interface RunReport extends Omit<LogEntry, 'metrics'> {
  /** Values by metric name. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** One JSON line per run, with its metrics, which have the dimension `service`. */
export interface RunTelemetry {
  report(report: RunReport): void;
}

/** Telemetry on standard output, which Lambda sends to CloudWatch. */
export function createRunTelemetry(service: FunctionName): RunTelemetry {
  const formatLine = createLogLines(service, {}, process.env);
  return {
    report({ metrics, ...entry }) {
      const values = Object.entries(metrics);
      const line = { ...entry, metrics: [{ dimensions: ['service'], values }] };
      process.stdout.write(formatLine(line, Date.now()));
    },
  };
}
