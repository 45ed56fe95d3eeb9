import type { Context } from 'aws-lambda';
import type { FunctionName } from '../../contract/function-names.ts';
import {
  commonMetricNamespace,
  functionVersionProperty,
  metricDimensions,
  requestMetrics,
} from '../../contract/request-metrics.ts';
import { type Clock, formatMilliseconds } from '../../core/time.ts';

/** What a function takes from its process. Tests pass their own values. */
export interface FunctionOptions {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/**
 * @param persistentKeys are added to every log line.
 * @param counted by what requests are counted.
 */
export function resolveOptions(
  name: FunctionName,
  persistentKeys: LogFields,
  overrides: Partial<FunctionOptions>,
  counted?: CountedRequests,
): FunctionOptions {
  return {
    clock: overrides.clock ?? Date.now,
    telemetry: overrides.telemetry ?? createTelemetry(name, persistentKeys, counted),
  };
}

/** One JSON line per request, with its metrics if it has any. */
export interface Telemetry {
  report(report: RequestReport, context: Context): void;
}

/** Telemetry on standard output, which Lambda sends to CloudWatch line by line. */
export function createTelemetry(
  service: FunctionName,
  persistentKeys: LogFields,
  counted: CountedRequests = {},
): Telemetry {
  const formatLine = createLogLines(service, persistentKeys, process.env);
  return {
    report(report, context) {
      const metrics = metricsOf(counted, report);
      process.stdout.write(formatLine({ ...entryOf(report, context), metrics }, Date.now()));
    },
  };
}

export type LogValue = string | number | boolean | readonly string[] | undefined;

export type LogFields = Readonly<Record<string, LogValue>>;

/** The report of one request. */
export interface RequestReport {
  readonly level: LogEntry['level'];
  readonly outcome: string;
  readonly statusCode: number;
  /** Milliseconds. */
  readonly latency: number;
  /** The authenticated client. */
  readonly clientId?: string | undefined;
  /** Values of metrics that only some requests have. */
  readonly measures?: ReadonlyMap<string, number> | undefined;
  readonly fields: LogFields;
}

/** The line of a request, without its metrics. */
export function entryOf(
  { level, outcome, statusCode, latency, clientId, fields }: RequestReport,
  { awsRequestId, functionVersion }: Context,
): LogEntry {
  return {
    level,
    outcome,
    fields: {
      [functionVersionProperty]: functionVersion,
      function_request_id: awsRequestId,
      status: statusCode,
      latency_ms: latency,
      ...fields,
      ...(clientId !== undefined && { [metricDimensions.clientId]: clientId }),
    },
  };
}

export interface CountedRequests {
  /**
   * Whether each request is counted by its outcome, because alarms compare outcomes. Lambda's own
   * `Invocations` and `Errors`, which are free, count those of other functions.
   */
  readonly byOutcome?: boolean;
}

function metricsOf(
  { byOutcome = false }: CountedRequests,
  { statusCode, measures = new Map() }: RequestReport,
): readonly MetricSet[] {
  const { requests, refusals, failures } = requestMetrics;
  const failed = Number(statusCode >= 500);
  const isRefused = byOutcome && statusCode === 400;
  const occasional = [...measures, ...(isRefused ? [[refusals, 1] as const] : [])];
  return [
    { dimensions: ['service', metricDimensions.outcome], values: byOutcome ? [[requests, 1]] : [] },
    // Alarms use the totals, which have only the function's name as a dimension.
    {
      dimensions: ['service'],
      values: failed === 0 ? occasional : [[failures, failed], ...occasional],
    },
  ];
}

/** Metrics with the same dimensions. Under other dimensions a value is another metric, with a price. */
interface MetricSet {
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
