import type { Context } from 'aws-lambda';
import type { FunctionName } from '../../contract/environment.ts';
import { commonMetricNamespace } from '../../contract/key-metrics.ts';
import {
  functionVersionProperty,
  metricDimensions,
  requestMetrics,
} from '../../contract/request-metrics.ts';
import { formatMilliseconds } from '../../core/rfc3339.ts';

/** One JSON line per request, and its metrics in embedded metric format if it has any. */
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
  metrics: Pick<MetricSource, 'byOutcome' | 'byClient'> = {},
): Telemetry {
  const formatLogLine = createLogLines(service, persistentKeys, process.env);
  const source = { namespace: readMetricNamespace(process.env), service, ...metrics };
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

/** The namespace that the stack set, from Powertools' own variable. */
export function readMetricNamespace(
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return environment['POWERTOOLS_METRICS_NAMESPACE'] || commonMetricNamespace;
}

/** Levels in rising order, including Lambda's levels that no report has. */
const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'CRITICAL', 'FATAL', 'SILENT'];

/** The least level that is written: Lambda's own setting, or Powertools', or INFO. */
function leastLevel(environment: Readonly<Record<string, string | undefined>>): number {
  const { AWS_LAMBDA_LOG_LEVEL, POWERTOOLS_LOG_LEVEL } = environment;
  const chosen = levels.indexOf((AWS_LAMBDA_LOG_LEVEL || POWERTOOLS_LOG_LEVEL || '').toUpperCase());
  return chosen < 0 ? levels.indexOf('INFO') : chosen;
}

/** `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=…;Sampled=1`. */
function readTraceId(header: string | undefined): string | undefined {
  const start = header?.indexOf('Root=') ?? -1;
  return start < 0 ? undefined : header?.slice(start + 'Root='.length).split(';', 1)[0];
}

/** Omits empty values, as Powertools does. JSON omits undefined itself. */
function withoutEmpty(fields: LogFields): LogFields {
  const isEmpty = (value: unknown) => value === '' || value === null;
  return Object.values(fields).some(isEmpty)
    ? Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))
    : fields;
}

/** Times are milliseconds since the epoch. */
interface LogMoment {
  readonly time: number;
  /** The X-Ray header of the invocation, from Lambda. */
  readonly traceHeader: string | undefined;
}

/**
 * @returns a function that makes the log line of a request with its line end, or an empty text
 * below the minimum level.
 */
export function createLogLines(
  service: string,
  persistentKeys: LogFields,
  environment: Readonly<Record<string, string | undefined>>,
): (report: RequestReport, context: Context, moment: LogMoment) => string {
  const least = leastLevel(environment);
  // With provisioned concurrency, INIT ends long before the first request.
  let isColdStart = environment['AWS_LAMBDA_INITIALIZATION_TYPE'] === 'on-demand';
  return (report, context, { time, traceHeader }) => {
    const level = report.level.toUpperCase();
    if (levels.indexOf(level) < least) return '';
    const line = JSON.stringify({
      level,
      message: report.outcome,
      timestamp: formatMilliseconds(time),
      service,
      cold_start: isColdStart,
      function_arn: context.invokedFunctionArn,
      function_memory_size: context.memoryLimitInMB,
      function_name: context.functionName,
      function_request_id: context.awsRequestId,
      sampling_rate: 0,
      xray_trace_id: readTraceId(traceHeader),
      ...persistentKeys,
      outcome: report.outcome,
      status: report.statusCode,
      latency_ms: report.latency,
      ...withoutEmpty(report.fields),
    });
    isColdStart = false;
    return `${line}\n`;
  };
}

export type LogValue = string | number | boolean | readonly string[] | undefined;

export type LogFields = Readonly<Record<string, LogValue>>;

/** The report of one request. */
export interface RequestReport {
  readonly level: 'info' | 'warn' | 'error';
  readonly outcome: string;
  readonly statusCode: number;
  /** Milliseconds. */
  readonly latency: number;
  /** The authenticated client. */
  readonly clientId?: string | undefined;
  readonly counts: ReadonlySet<string>;
  /** Values of metrics that only some requests have. */
  readonly measures?: ReadonlyMap<string, number> | undefined;
  readonly fields: LogFields;
}

function unitOf(name: string): string {
  return name === requestMetrics.latency ? 'Milliseconds' : 'Count';
}

/** The names of a function's metrics. */
export interface MetricSource {
  readonly namespace: string;
  readonly service: string;
  /**
   * Whether each request is counted by its outcome, because alarms compare outcomes. Lambda's own
   * `Invocations` and `Errors`, which are free, count those of other functions.
   */
  readonly byOutcome?: boolean;
  /** Whether all metrics also have the client as a dimension, not only those about clients. */
  readonly byClient?: boolean;
}

/**
 * When a request was answered, in milliseconds since the epoch, and the version of the function.
 */
interface MetricMoment {
  readonly time: number;
  readonly functionVersion: string;
}

/**
 * The metrics of a request in embedded metric format, as one line of the log; nothing if it has
 * none. Under other dimensions a value is another metric, with a price.
 */
function formatMetricLine(
  { namespace: Namespace, service, byOutcome, byClient }: MetricSource,
  { outcome, statusCode, latency, clientId, counts, measures = new Map() }: RequestReport,
  { time, functionVersion }: MetricMoment,
): string {
  const { requests, refusals, failures } = requestMetrics;
  const failed = Number(statusCode >= 500);
  const CloudWatchMetrics: object[] = [];
  const values: Record<string, unknown> = {};
  const add = (dimensions: readonly string[], found: readonly (readonly [string, number])[]) => {
    if (found.length === 0) return;
    const Metrics = found.map(([Name]) => ({ Name, Unit: unitOf(Name) }));
    CloudWatchMetrics.push({ Namespace, Dimensions: [['service', ...dimensions]], Metrics });
    Object.assign(values, Object.fromEntries(found));
  };
  const occasional = [...[...counts].map((name) => [name, 1] as const), ...measures];
  if (byOutcome) add([metricDimensions.outcome], [[requests, 1]]);
  // Alarms use the totals, which have only the function's name as a dimension.
  add([], failed === 0 ? occasional : [[failures, 1], ...occasional]);
  const ofClient = byClient
    ? ([
        [requests, 1],
        [refusals, Number(statusCode >= 400) - failed],
        [failures, failed],
        [requestMetrics.latency, latency],
        ...occasional,
      ] as const)
    : [...measures];
  if (clientId !== undefined && ofClient.length > 0) {
    add([metricDimensions.clientId], ofClient);
    values[metricDimensions.clientId] = clientId;
  }
  if (CloudWatchMetrics.length === 0) return '';
  const line = JSON.stringify({
    _aws: { Timestamp: time, CloudWatchMetrics },
    [functionVersionProperty]: functionVersion,
    service,
    [metricDimensions.outcome]: outcome,
    ...values,
  });
  return `${line}\n`;
}
