import type { Context } from 'aws-lambda';
import { createTelemetry, type RequestReport } from '../../../lambda/shared/telemetry.ts';

// The least that a function can do: a constant answer, and the log line and metrics of a request.

const response: unknown = JSON.parse(process.env['BENCH_RESPONSE'] ?? 'null');
const telemetry = createTelemetry('discovery', {});

const report: RequestReport = {
  level: 'info',
  outcome: 'served',
  statusCode: 200,
  latency: 0,
  fields: {
    http_method: 'GET',
    path: '/.well-known/jwks.json',
    source_ip: '192.0.2.44',
    request_id: '11111111-2222-4333-8444-555555555555',
  },
};

export async function handler(_event: unknown, context: Context): Promise<unknown> {
  const startedAt = Date.now();
  telemetry.report({ ...report, latency: Date.now() - startedAt }, context);
  return response;
}
