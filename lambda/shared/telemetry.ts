import type { Context } from 'aws-lambda';
import type { FunctionName } from '../../contract/environment.ts';
import { commonMetricNamespace } from '../../contract/key-metrics.ts';
import {
  functionVersionProperty,
  metricDimensions,
  requestMetrics,
} from '../../contract/request-metrics.ts';
import { formatMilliseconds } from '../../core/rfc3339.ts';

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

function valuesOf(report: RequestReport): Readonly<Record<string, number>> {
  const { statusCode, latency, counts, measures } = report;
  const values: Record<string, number> = {
    [requestMetrics.requests]: 1,
    [requestMetrics.refusals]: Number(statusCode >= 400 && statusCode < 500),
    [requestMetrics.failures]: Number(statusCode >= 500),
    [requestMetrics.latency]: latency,
  };
  for (const name of counts) values[name] = 1;
  for (const [name, value] of measures ?? []) values[name] = value;
  return values;
}

function unitOf(name: string): string {
  return name === requestMetrics.latency ? 'Milliseconds' : 'Count';
}

/** The names of a function's metrics. */
export interface MetricSource {
  readonly namespace: string;
  readonly service: string;
  /** Whether all metrics also have the client as a dimension, not only those about clients. */
  readonly byClient: boolean;
}

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
}

/** The values that become metrics, and their dimensions (embedded metric format). */
function directivesOf(
  { namespace: Namespace, byClient }: MetricSource,
  { clientId, measures }: RequestReport,
  names: readonly string[],
): readonly Directive[] {
  const metrics = (of: readonly string[]) => of.map((Name) => ({ Name, Unit: unitOf(Name) }));
  const ofClient = ['service', metricDimensions.clientId];
  const isOfClient = clientId !== undefined;
  // Alarms use the totals, which have only the function's name as a dimension.
  const dimensions = [['service', metricDimensions.outcome], ['service']];
  const all = {
    Namespace,
    Dimensions: isOfClient && byClient ? [...dimensions, ofClient] : dimensions,
    Metrics: metrics(names),
  };
  if (!isOfClient || byClient || measures === undefined) return [all];
  return [all, { Namespace, Dimensions: [ofClient], Metrics: metrics([...measures.keys()]) }];
}

/**
 * When a request was answered, in milliseconds since the epoch, and the version of the function.
 */
interface MetricMoment {
  readonly time: number;
  readonly functionVersion: string;
}

/** The metrics of a request in embedded metric format, as one line of the log. */
function formatMetricLine(
  source: MetricSource,
  report: RequestReport,
  { time, functionVersion }: MetricMoment,
): string {
  const values = valuesOf(report);
  const { outcome, clientId } = report;
  const CloudWatchMetrics = directivesOf(source, report, Object.keys(values));
  const line = JSON.stringify({
    _aws: { Timestamp: time, CloudWatchMetrics },
    [functionVersionProperty]: functionVersion,
    service: source.service,
    [metricDimensions.outcome]: outcome,
    [metricDimensions.clientId]: clientId,
    ...values,
  });
  return `${line}\n`;
}
