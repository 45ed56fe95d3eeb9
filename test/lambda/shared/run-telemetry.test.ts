import { expect, it, vi } from 'vitest';
import { createRunTelemetry } from '../../../lambda/shared/run-telemetry.ts';
import { captureOutput } from '../../support/captured-output.ts';

it.each([
  [{}, undefined],
  [
    { KeysPromoted: 1 },
    [
      {
        Namespace: 'AuthorizationServer',
        Dimensions: [['service']],
        Metrics: [{ Name: 'KeysPromoted' }],
      },
    ],
  ],
])('the report of a run with the metrics %j is one line', async (metrics, expected) => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 23, 6, 0, 0, 5), toFake: ['Date'] });
  const output = await captureOutput(async () => {
    const telemetry = createRunTelemetry('management');
    telemetry.report({ level: 'info', outcome: 'answered', fields: { operations: 2 }, metrics });
  });
  vi.useRealTimers();
  const { _aws, ...line } = JSON.parse(output);
  expect(line).toEqual({
    level: 'INFO',
    timestamp: '2026-11-23T06:00:00.005Z',
    service: 'management',
    outcome: 'answered',
    operations: 2,
    ...metrics,
  });
  expect(_aws?.CloudWatchMetrics).toEqual(expected);
});
