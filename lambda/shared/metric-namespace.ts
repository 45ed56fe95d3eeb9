import { commonMetricNamespace } from '../../contract/key-metrics.ts';

/** The namespace that the stack set, from Powertools' own variable. */
export function readMetricNamespace(
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return environment['POWERTOOLS_METRICS_NAMESPACE'] || commonMetricNamespace;
}
