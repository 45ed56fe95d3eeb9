import type { RequestReport, Telemetry } from '../../lambda/shared/telemetry.ts';

/** Telemetry that keeps its reports, the latest last. */
export function recordTelemetry(): { reports: RequestReport[]; telemetry: Telemetry } {
  const reports: RequestReport[] = [];
  return { reports, telemetry: { report: (report) => void reports.push(report) } };
}
