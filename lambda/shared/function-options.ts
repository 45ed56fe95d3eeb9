import type { FunctionName } from '../../contract/environment.ts';
import type { MetricSource } from './metric-line.ts';
import type { LogFields } from './request-report.ts';
import { createTelemetry, type Telemetry } from './telemetry.ts';

/** What a function takes from the process it runs in; a test gives its own. */
export interface FunctionOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly telemetry: Telemetry;
}

export function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/**
 * @param persistentKeys stand in every log line.
 * @param metrics whether metrics stand under each client too.
 */
export function resolveOptions(
  name: FunctionName,
  persistentKeys: LogFields,
  given: Partial<FunctionOptions>,
  metrics?: Pick<MetricSource, 'byClient'>,
): FunctionOptions {
  return {
    clock: given.clock ?? Date.now,
    telemetry: given.telemetry ?? createTelemetry(name, persistentKeys, metrics),
  };
}
