import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRunTelemetry } from '../../../lambda/shared/run-telemetry.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the report of a run', () => {
  it.each([
    [{}, []],
    [{ KeysPromoted: 1 }, []],
  ])('with the metrics %j writes no warning', (metrics, expected) => {
    const warnings: unknown[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => warnings.push(text) > 0);
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const telemetry = createRunTelemetry('management');
    telemetry.report({ level: 'info', outcome: 'answered', fields: {}, metrics });
    expect(warnings).toEqual(expected);
  });
});
