import type { Context } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lambdaContext } from '../../../lab/support/proxy-event.ts';
import {
  type CountedRequests,
  createTelemetry,
  type RequestReport,
} from '../../../lambda/shared/telemetry.ts';
import { captureOutput } from '../../support/captured-output.ts';

const context: Context = lambdaContext();

afterEach(() => vi.unstubAllEnvs());

interface Directive {
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string }[];
}

const issued: RequestReport = {
  level: 'info',
  outcome: 'issued',
  statusCode: 200,
  latency: 12,
  clientId: 'client_1',
  measures: new Map([['SecretUseFailures', 1]]),
  fields: { client_id: 'client_1', kid: 'k', jti: 'j', reason: undefined },
};

async function linesOf(
  reports: readonly RequestReport[],
  counted: CountedRequests = { byOutcome: true },
): Promise<Record<string, unknown>[]> {
  const output = await captureOutput(async () => {
    const telemetry = createTelemetry('token', { region_id: 'slc' }, counted);
    for (const report of reports) telemetry.report(report, context);
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function lineOf(report: RequestReport, counted?: CountedRequests) {
  const [line = {}] = await linesOf([report], counted);
  return line;
}

describe('telemetry of a request', () => {
  it('is one line, which has its metrics', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 23, 6, 0, 0, 5), toFake: ['Date'] });
    const lines = await linesOf([issued]);
    vi.useRealTimers();
    expect(lines).toEqual([
      {
        level: 'INFO',
        timestamp: '2026-11-23T06:00:00.005Z',
        service: 'token',
        region_id: 'slc',
        outcome: 'issued',
        // A property, and in no list of dimensions.
        function_version: '7',
        function_request_id: 'invocation-1',
        status: 200,
        latency_ms: 12,
        client_id: 'client_1',
        kid: 'k',
        jti: 'j',
        Requests: 1,
        SecretUseFailures: 1,
        _aws: {
          Timestamp: Date.UTC(2026, 10, 23, 6, 0, 0, 5),
          CloudWatchMetrics: [
            {
              Namespace: 'AuthorizationServer',
              Dimensions: [['service', 'outcome']],
              Metrics: [{ Name: 'Requests' }],
            },
            {
              Namespace: 'AuthorizationServer',
              Dimensions: [['service']],
              Metrics: [{ Name: 'SecretUseFailures' }],
            },
          ],
        },
      },
    ]);
  });

  it('is in the namespace of the deployment', async () => {
    vi.stubEnv('AUTH_METRIC_NAMESPACE', 'AuthorizationServer/blue');
    expect(await lineOf({ ...issued, measures: undefined })).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Namespace: 'AuthorizationServer/blue' }] },
    });
  });

  it('says which request started an instance', async () => {
    vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'on-demand');
    const lines = await linesOf([issued, issued]);
    expect(lines.map((line) => line['cold_start'])).toEqual([true, undefined]);
  });

  it.each([
    [1, '1-5759e988-bd862e3fe1be46a994272793'],
    [0, undefined],
  ])('has the trace of X-Ray if it is kept: Sampled=%d', async (sampled, expected) => {
    const root = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8';
    vi.stubEnv('_X_AMZN_TRACE_ID', `${root};Sampled=${sampled}`);
    expect((await lineOf(issued))['xray_trace_id']).toBe(expected);
  });

  it.each([
    [400, 1, undefined],
    [401, undefined, undefined],
    [429, undefined, undefined],
    [500, undefined, 1],
    [503, undefined, 1],
    [304, undefined, undefined],
  ])('of a %d counts %s refusals and %s failures', async (statusCode, refusals, failures) => {
    const report = { ...issued, statusCode };
    const { Failures: failed, Refusals: refused } = await lineOf(report);
    // An alarm adds 401, which is counted by its outcome, and 429 repeats others.
    expect([failed, refused]).toEqual([failures, refusals]);
    expect(await lineOf(report, {})).not.toHaveProperty('Refusals');
  });

  it('of a function whose outcomes no alarm compares has no metric unless something is wrong', async () => {
    const report = { ...issued, measures: undefined };
    expect(await lineOf(report, {})).not.toHaveProperty('_aws');
    expect(await lineOf({ ...report, statusCode: 503 }, {})).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Dimensions: [['service']], Metrics: [{ Name: 'Failures' }] }] },
      Failures: 1,
    });
  });

  const measures = new Map([...(issued.measures ?? []), ['SecretDaysLeft', 3]]);
  const nearExpiry = { ...issued, measures };
  const ofOutcome = [[['service', 'outcome']], ['Requests']];
  const ofService = [['service']];

  async function dimensionsOf(report: RequestReport) {
    const { _aws } = await lineOf(report, { byOutcome: true });
    const directives = _aws as { readonly CloudWatchMetrics: readonly Directive[] };
    return directives.CloudWatchMetrics.map(({ Dimensions, Metrics }) => [
      Dimensions,
      Metrics.map(({ Name }) => Name),
    ]);
  }

  it('counts under the function only, never under a client', async () => {
    const counted = ['SecretUseFailures'];
    expect(await dimensionsOf(issued)).toEqual([ofOutcome, [ofService, counted]]);
    const measured = [...counted, 'SecretDaysLeft'];
    expect(await dimensionsOf(nearExpiry)).toEqual([ofOutcome, [ofService, measured]]);
  });

  it('keeps nothing for the next request', async () => {
    const failed = {
      ...issued,
      level: 'error',
      outcome: 'server_error',
      clientId: undefined,
    } as const;
    const [, line] = await linesOf([issued, { ...failed, measures: undefined, fields: {} }]);
    expect(line).toMatchObject({ level: 'ERROR', outcome: 'server_error' });
    expect(line).not.toHaveProperty('client_id');
    expect(line).not.toHaveProperty('SecretUseFailures');
  });
});
