import type { FunctionName } from '../../contract/environment.ts';
import type { RunTelemetry } from '../../lambda/shared/run-telemetry.ts';
import type { Telemetry } from '../../lambda/shared/telemetry.ts';
import type { LogFile } from './log-file.ts';

/** What Powertools writes of a request in Lambda, as a line of the log file. */
export function createLocalTelemetry(service: FunctionName, log: LogFile): Telemetry {
  return {
    report(report, context) {
      log.write({
        level: report.level.toUpperCase(),
        message: report.outcome,
        service,
        function_request_id: context.awsRequestId,
        outcome: report.outcome,
        status: report.statusCode,
        latency_ms: report.latency,
        ...report.fields,
      });
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
