import type { FunctionName } from '../../contract/function-names.ts';
import type { RunTelemetry } from '../../lambda/shared/run-telemetry.ts';
import {
  createLogLines,
  entryOf,
  type LogFields,
  type Telemetry,
} from '../../lambda/shared/telemetry.ts';
import type { LogFile } from './log-file.ts';

/** The lines that a function writes in Lambda, in the log file, without metrics. */
export function createLocalTelemetry(
  service: FunctionName,
  log: LogFile,
  persistentKeys: LogFields = {},
): Telemetry {
  const formatLine = createLogLines(service, persistentKeys, {});
  return {
    report(report, context) {
      log.append(formatLine(entryOf(report, context), Date.now()));
    },
  };
}

/** The same for functions that answer events. */
export function createLocalRunTelemetry(service: FunctionName, log: LogFile): RunTelemetry {
  const formatLine = createLogLines(service, {}, {});
  return {
    report({ metrics: _metrics, ...entry }) {
      log.append(formatLine(entry, Date.now()));
    },
  };
}
