import {
  functionVersionProperty,
  metricDimensions,
  requestMetrics,
} from '../../contract/request-metrics.ts';
import type { RequestReport } from './request-report.ts';

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
export interface MetricMoment {
  readonly time: number;
  readonly functionVersion: string;
}

/** The metrics of a request in embedded metric format, as one line of the log. */
export function formatMetricLine(
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
