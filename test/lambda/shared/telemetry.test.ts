import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { createTelemetry, type RequestReport } from '../../../lambda/shared/telemetry.ts';
import { captureOutput } from '../../support/captured-output.ts';
import { lambdaContext } from '../../support/proxy-event.ts';

const context: Context = lambdaContext();

const issued: RequestReport = {
  level: 'info',
  outcome: 'issued',
  statusCode: 200,
  latency: 12,
  clientId: 'client_1',
  counts: new Set(['SecretUseFailures']),
  fields: { client_id: 'client_1', kid: 'k', jti: 'j', reason: undefined },
};

async function linesOf(...reports: readonly RequestReport[]): Promise<Record<string, unknown>[]> {
  const output = await captureOutput(async () => {
    const telemetry = createTelemetry('token', { region_id: 'slc' });
    for (const report of reports) telemetry.report(report, context);
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('telemetry of a request', () => {
  it('is one log line and one line of metrics', async () => {
    const [log, metrics, ...more] = await linesOf(issued);
    expect(more).toEqual([]);
    expect(log).toMatchObject({
      level: 'INFO',
      message: 'issued',
      service: 'token',
      region_id: 'slc',
      function_request_id: 'invocation-1',
      outcome: 'issued',
      status: 200,
      latency_ms: 12,
      client_id: 'client_1',
      kid: 'k',
      jti: 'j',
    });
    expect(log).not.toHaveProperty('reason');
    expect(metrics).toMatchObject({
      _aws: {
        CloudWatchMetrics: [
          {
            Namespace: 'AuthorizationServer',
            Dimensions: [['service', 'outcome'], ['service'], ['service', 'client_id']],
            Metrics: [
              { Name: 'Requests', Unit: 'Count' },
              { Name: 'Refusals', Unit: 'Count' },
              { Name: 'Failures', Unit: 'Count' },
              { Name: 'Latency', Unit: 'Milliseconds' },
              { Name: 'SecretUseFailures', Unit: 'Count' },
            ],
          },
        ],
      },
      service: 'token',
      outcome: 'issued',
      client_id: 'client_1',
      Requests: 1,
      Refusals: 0,
      Failures: 0,
      Latency: 12,
      SecretUseFailures: 1,
    });
  });

  it.each([
    [401, 1, 0],
    [429, 1, 0],
    [500, 0, 1],
    [503, 0, 1],
    [304, 0, 0],
  ])('of a %d counts %d refusals and %d failures', async (statusCode, Refusals, Failures) => {
    const [, metrics] = await linesOf({ ...issued, statusCode });
    expect(metrics).toMatchObject({ Refusals, Failures });
  });

  it('of a client that did not authenticate has no metric of its own', async () => {
    const [, metrics] = await linesOf({ ...issued, clientId: undefined });
    expect(metrics).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Dimensions: [['service', 'outcome'], ['service']] }] },
    });
    expect(metrics).not.toHaveProperty('client_id');
  });

  it('keeps nothing for the next request', async () => {
    const [, , log, metrics] = await linesOf(issued, {
      ...issued,
      level: 'error',
      outcome: 'server_error',
      clientId: undefined,
      counts: new Set(),
      fields: {},
    });
    expect(log).toMatchObject({ level: 'ERROR', outcome: 'server_error' });
    expect(log).not.toHaveProperty('client_id');
    expect(metrics).not.toHaveProperty('SecretUseFailures');
  });
});
