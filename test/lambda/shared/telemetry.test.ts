import type { Context } from 'aws-lambda';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lambdaContext } from '../../../lab/support/proxy-event.ts';
import { createTelemetry, type RequestReport } from '../../../lambda/shared/telemetry.ts';
import { captureOutput } from '../../support/captured-output.ts';
import { createPowertoolsTelemetry } from '../../support/powertools-telemetry.ts';

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
  counts: new Set(['SecretUseFailures']),
  fields: { client_id: 'client_1', kid: 'k', jti: 'j', reason: undefined },
};

async function textOf(
  create: typeof createTelemetry,
  reports: readonly RequestReport[],
  byClient = false,
) {
  return captureOutput(async () => {
    const telemetry = create('token', { region_id: 'slc' }, { byOutcome: true, byClient });
    for (const report of reports) telemetry.report(report, context);
  });
}

function parseLines(output: string): Record<string, unknown>[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function linesOf(...reports: readonly RequestReport[]): Promise<Record<string, unknown>[]> {
  return parseLines(await textOf(createTelemetry, reports));
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
            Dimensions: [['service', 'outcome']],
            Metrics: [{ Name: 'Requests', Unit: 'Count' }],
          },
          {
            Namespace: 'AuthorizationServer',
            Dimensions: [['service']],
            Metrics: [{ Name: 'SecretUseFailures', Unit: 'Count' }],
          },
        ],
      },
      service: 'token',
      outcome: 'issued',
      Requests: 1,
      SecretUseFailures: 1,
      // A property, and in no list of dimensions.
      function_version: '7',
    });
    for (const name of ['Refusals', 'Failures', 'Latency', 'client_id']) {
      expect(metrics).not.toHaveProperty(name);
    }
  });

  it('is in the namespace of the deployment', async () => {
    vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'AuthorizationServer/blue');
    const [, metrics] = await linesOf({ ...issued, counts: new Set() });
    expect(metrics).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Namespace: 'AuthorizationServer/blue' }] },
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
    expect(metrics?.['Failures']).toBe(Failures === 1 ? 1 : undefined);
    const [, ofClient] = parseLines(
      await textOf(createTelemetry, [{ ...issued, statusCode }], true),
    );
    expect(ofClient).toMatchObject({ Refusals, Failures, Latency: 12 });
  });

  it('of a function whose outcomes no alarm compares has no metric unless something is wrong', async () => {
    const textOfJwks = (report: RequestReport) =>
      captureOutput(async () => {
        createTelemetry('jwks', {}).report({ ...report, counts: new Set() }, context);
      });
    expect(parseLines(await textOfJwks(issued))).toHaveLength(1);
    const [, metrics] = parseLines(await textOfJwks({ ...issued, statusCode: 503 }));
    expect(metrics).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Dimensions: [['service']], Metrics: [{ Name: 'Failures' }] }] },
      Failures: 1,
    });
  });

  const nearExpiry = { ...issued, measures: new Map([['SecretDaysLeft', 3]]) };
  const ofOutcome = [[['service', 'outcome']], ['Requests']];
  const ofService = [['service']];
  const ofClient = [['service', 'client_id']];

  async function dimensionsOf(report: RequestReport, byClient: boolean) {
    const [, metrics] = parseLines(await textOf(createTelemetry, [report], byClient));
    const directives = metrics?.['_aws'] as { readonly CloudWatchMetrics: readonly Directive[] };
    return directives.CloudWatchMetrics.map(({ Dimensions, Metrics }) => [
      Dimensions,
      Metrics.map(({ Name }) => Name),
    ]);
  }

  it('has under the client what is about the client, and the rest if the config asks', async () => {
    const names = ['Requests', 'Refusals', 'Failures', 'Latency'];
    const counted = ['SecretUseFailures'];
    expect(await dimensionsOf(issued, false)).toEqual([ofOutcome, [ofService, counted]]);
    expect(await dimensionsOf(issued, true)).toEqual([
      ofOutcome,
      [ofService, counted],
      [ofClient, [...names, ...counted]],
    ]);
    const measured = [...counted, 'SecretDaysLeft'];
    expect(await dimensionsOf(nearExpiry, false)).toEqual([
      ofOutcome,
      [ofService, measured],
      [ofClient, ['SecretDaysLeft']],
    ]);
    expect(await dimensionsOf(nearExpiry, true)).toEqual([
      ofOutcome,
      [ofService, measured],
      [ofClient, [...names, ...measured]],
    ]);
  });

  it.each([true, false])(
    'of a client that did not authenticate has no metric of its own: %s',
    async (byClient) => {
      const report = { ...nearExpiry, clientId: undefined };
      const dimensions = (await dimensionsOf(report, byClient)).map(([found]) => found);
      expect(dimensions).toEqual([[['service', 'outcome']], [['service']]]);
    },
  );

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

const report: fc.Arbitrary<RequestReport> = fc.record({
  level: fc.constantFrom('info', 'warn', 'error'),
  outcome: fc.constantFrom('issued', 'invalid_client', 'server_error'),
  statusCode: fc.constantFrom(200, 304, 400, 401, 429),
  latency: fc.nat({ max: 30_000 }),
  clientId: fc.option(fc.constant('client_1'), { nil: undefined }),
  // Powertools has one set of dimensions for all metrics of a line.
  counts: fc.constant(new Set<string>()),
  fields: fc.dictionary(
    fc.constantFrom('client_id', 'reason', 'unusable_kids', 'attempts', 'path'),
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.string(), { minLength: 1 }),
      fc.nat(),
      fc.boolean(),
      fc.constant(undefined),
    ),
  ),
});

describe('both lines', () => {
  const withoutTimes = (text: string) =>
    text.replaceAll(/"timestamp":"[^"]+"/g, '').replaceAll(/"Timestamp":\d+/g, '');

  it.each([
    undefined,
    'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1',
  ])('are what Powertools writes, to the letter, in trace %s', async (trace) => {
    vi.stubEnv('_X_AMZN_TRACE_ID', trace);
    await fc.assert(
      fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 3 }), async (reports) => {
        const ours = await textOf(createTelemetry, reports);
        const theirs = await textOf(createPowertoolsTelemetry, reports);
        expect(withoutTimes(ours)).toBe(withoutTimes(theirs));
      }),
    );
  });

  it.each([
    ['AWS_LAMBDA_LOG_LEVEL', 'WARN', 1],
    ['AWS_LAMBDA_LOG_LEVEL', 'DEBUG', 2],
    ['POWERTOOLS_LOG_LEVEL', 'ERROR', 1],
    ['POWERTOOLS_LOG_LEVEL', 'anything', 2],
  ])('heed %s=%s: an info report then has %d', async (name, level, count) => {
    vi.stubEnv(name, level);
    expect(await linesOf(issued)).toHaveLength(count);
  });
});
