import type { FunctionName } from '../../contract/environment.ts';
import type { RunTelemetry } from '../../lambda/shared/run-telemetry.ts';
import { createLogLines, type LogFields, type Telemetry } from '../../lambda/shared/telemetry.ts';
import type { LogFile } from './log-file.ts';

/** The lines that a function writes in Lambda, in the log file. */
export function createLocalTelemetry(
  service: FunctionName,
  log: LogFile,
  persistentKeys: LogFields = {},
): Telemetry {
  const formatLine = createLogLines(service, persistentKeys, {});
  return {
    report(report, context) {
      log.append(formatLine(report, context, { time: Date.now(), traceHeader: undefined }));
    },
  };
}

/** The same for functions that answer events. */
export function createLocalRunTelemetry(service: FunctionName, log: LogFile): RunTelemetry {
  return {
    report({ level, outcome, fields }) {
      log.write({ level: level.toUpperCase(), message: outcome, service, outcome, ...fields });
    },
  };
}
