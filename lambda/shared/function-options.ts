import type { FunctionName } from '../../contract/environment.ts';
import type { Clock } from '../../core/clock.ts';
import { createTelemetry, type LogFields, type MetricSource, type Telemetry } from './telemetry.ts';

/** What a function takes from its process. Tests pass their own values. */
export interface FunctionOptions {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/**
 * @param persistentKeys are added to every log line.
 * @param metrics whether requests are counted by outcome, and metrics kept per client.
 */
export function resolveOptions(
  name: FunctionName,
  persistentKeys: LogFields,
  overrides: Partial<FunctionOptions>,
  metrics?: Pick<MetricSource, 'byOutcome' | 'byClient'>,
): FunctionOptions {
  return {
    clock: overrides.clock ?? Date.now,
    telemetry: overrides.telemetry ?? createTelemetry(name, persistentKeys, metrics),
  };
}
