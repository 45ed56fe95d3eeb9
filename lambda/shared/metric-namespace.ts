import { commonMetricNamespace } from '../../contract/key-metrics.ts';

/** The namespace that the stack chose, by the variable that Powertools has for it. */
export function readMetricNamespace(
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return environment['POWERTOOLS_METRICS_NAMESPACE'] || commonMetricNamespace;
}
