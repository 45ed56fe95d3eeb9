import { commonMetricNamespace } from '../../contract/request-metrics.ts';
import { formatMilliseconds } from '../../core/rfc3339.ts';

/** Metrics with the same dimensions. Under other dimensions a value is another metric, with a price. */
export interface MetricSet {
  /** Names of fields of the line. */
  readonly dimensions: readonly string[];
  readonly values: readonly (readonly [name: string, value: number])[];
}

export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly outcome: string;
  /** Further fields in snake_case. Never a credential. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** A set without values is left out. */
  readonly metrics?: readonly MetricSet[];
}

/** The trace of an invocation that X-Ray keeps: `Root=1-5759e988-bd86…;Parent=…;Sampled=1`. */
function keptTrace(header: string | undefined): string | undefined {
  return header?.includes('Sampled=1') ? /Root=([^;]+)/.exec(header)?.[1] : undefined;
}

/** What CloudWatch reads from a line: its embedded metric format. */
function embed(Namespace: string, sets: readonly MetricSet[], Timestamp: number): object {
  const CloudWatchMetrics = sets.map(({ dimensions, values }) => ({
    Namespace,
    Dimensions: [dimensions],
    Metrics: values.map(([Name]) => ({ Name })),
  }));
  const values = Object.fromEntries(sets.flatMap((set) => set.values));
  return { ...values, _aws: { Timestamp, CloudWatchMetrics } };
}

/**
 * @param persistentFields are in every line.
 * @returns a function that makes the line of an entry at a time, in milliseconds since the epoch:
 *   JSON with its metrics and its line end. CloudWatch bills each byte: what is the same in all lines
 *   of a function is not in them.
 */
export function createLogLines(
  service: string,
  persistentFields: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): (entry: LogEntry, time: number) => string {
  const namespace = environment['AUTH_METRIC_NAMESPACE'] || commonMetricNamespace;
  // With provisioned concurrency, INIT ends long before the first request.
  let isColdStart = environment['AWS_LAMBDA_INITIALIZATION_TYPE'] === 'on-demand';
  return ({ level, outcome, fields, metrics = [] }, time) => {
    const sets = metrics.filter(({ values }) => values.length > 0);
    const line = {
      level: level.toUpperCase(),
      timestamp: formatMilliseconds(time),
      service,
      cold_start: isColdStart || undefined,
      xray_trace_id: keptTrace(environment['_X_AMZN_TRACE_ID']),
      ...persistentFields,
      outcome,
      ...fields,
      ...(sets.length > 0 && embed(namespace, sets, time)),
    };
    isColdStart = false;
    return `${JSON.stringify(line)}\n`;
  };
}
