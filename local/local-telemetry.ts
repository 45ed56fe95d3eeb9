import type { FunctionName } from '../contract/environment.ts';
import type { Telemetry } from '../lambda/shared/telemetry.ts';
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
