import type { FunctionName } from '../../contract/environment.ts';
import type { Clock } from '../../core/clock.ts';
import {
  type CountedRequests,
  createTelemetry,
  type LogFields,
  type Telemetry,
} from './telemetry.ts';

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
