// CloudFormation has no types here: a template is asserted, property by property.
/* oxlint-disable typescript/no-explicit-any */
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluate, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

/* The alarms of the template, in a model of CloudWatch's. */

interface Alarm {
  readonly Period: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly Statistic?: 'Sum' | 'Maximum' | 'Minimum';
  /** Of an alarm on an expression, which is in the first one. */
  readonly Metrics?: readonly { readonly Expression?: string; readonly Id: string }[];
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly TreatMissingData: 'breaching' | 'notBreaching';
}

/** A value of a metric, at a second of the history. */
interface Point {
  readonly at: number;
  readonly value: number;
}

const statistics = {
  Sum: (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0),
  Maximum: (values: readonly number[]) => Math.max(...values),
  Minimum: (values: readonly number[]) => Math.min(...values),
};

/**
 * Whether an alarm is on at a second. CloudWatch looks at more periods than it evaluates, and uses
 * the newest that have data; only if these are too few, missing ones count as the alarm says.
 */
function isOn(alarm: Alarm, points: readonly Point[], now: number, aligned: boolean): boolean {
  const { Period, EvaluationPeriods: evaluated, Threshold } = alarm;
  const end = aligned ? Math.floor(now / Period) * Period : now;
  const range = Array.from({ length: evaluated + 2 }, (_, back) => {
    const until = end - back * Period;
    const values = points.filter(({ at }) => at >= until - Period && at < until);
    return values.length === 0
      ? undefined
      : statistics[alarm.Statistic ?? 'Maximum'](values.map(({ value }) => value));
  });
  const found = range.filter((value) => value !== undefined).slice(0, evaluated);
  const isBad = (value: number) =>
    alarm.ComparisonOperator === 'LessThanThreshold' ? value < Threshold : value >= Threshold;
  const missing = alarm.TreatMissingData === 'breaching' ? evaluated - found.length : 0;
  return found.filter(isBad).length + missing >= alarm.DatapointsToAlarm;
}

let alarms: Readonly<Record<string, Alarm>>;
beforeAll(() => {
  const { templates } = synthesise(readConfigFile('three-regions'));
  const found = resourcesOf(templates['AuthorizationServer-slc'] as any, 'AWS::CloudWatch::Alarm');
  alarms = Object.fromEntries(
    Object.values(found).map(({ Properties }) => [
      String(Properties['AlarmName']).replace('authorization-server-slc-', ''),
      evaluate(Properties) as unknown as Alarm,
    ]),
  );
});

describe('each alarm', () => {
  const now = 10 * 86_400;
  /** A value in each period. */
  const always = ({ Period }: Alarm, value: number): readonly Point[] =>
    Array.from({ length: now / Period }, (_, period) => ({ at: period * Period + 5, value }));
  const isBelow = ({ ComparisonOperator }: Alarm) => ComparisonOperator === 'LessThanThreshold';
  const findOn = (pointsOf: (alarm: Alarm) => readonly Point[]) =>
    Object.entries(alarms)
      .filter(([, alarm]) => alarm.Metrics === undefined)
      .filter(([, alarm]) => isOn(alarm, pointsOf(alarm), now, true))
      .map(([id]) => id);

  it('rings for the least value that is bad, and not for the next better one', () => {
    const bad = (alarm: Alarm) => (isBelow(alarm) ? alarm.Threshold - 1 : alarm.Threshold);
    const better = (alarm: Alarm) => (isBelow(alarm) ? alarm.Threshold : alarm.Threshold - 1);
    const single = Object.keys(alarms).filter((id) => alarms[id]?.Metrics === undefined);
    expect(single.length).toBeGreaterThan(35);
    expect(findOn((alarm) => always(alarm, bad(alarm)))).toEqual(single);
    expect(findOn((alarm) => always(alarm, better(alarm)))).toEqual([]);
  });

  it('rings without data if only a stopped schedule can be the reason', () => {
    expect(findOn(() => [])).toEqual([
      'signing-key-rotation-missed',
      'signing-key-canary-failed',
      'synthetic-check-failed',
      'notices-missed',
    ]);
  });

  it('of the canary forgives one missed run, and no more than twenty minutes', () => {
    const alarm = alarms['signing-key-canary-failed'] as Alarm;
    const runs = Array.from({ length: 13 }, (_, run) => ({ at: run * 300 + 40, value: 0 }));
    const oneMissed = runs.filter((_, run) => run !== 11);
    expect(isOn(alarm, oneMissed, 12 * 300 + 299, true)).toBe(false);
    expect(isOn(alarm, runs, 13 * 300 + 20 * 60 + 299, true)).toBe(true);
  });

  it('of the synthetic check rings after the second run that fails, within ten minutes', () => {
    const alarm = alarms['synthetic-check-failed'] as Alarm;
    const runs = (...last: readonly number[]) =>
      [1, 1, 1, ...last].map((value, run) => ({ at: run * 300 + 40, value }));
    // The last good run is at 640 s: the service fails from then on.
    const now = 640 + 600 + 1;
    expect(isOn({ ...alarm, Period: 300 }, runs(0, 0), now + 299, true)).toBe(true);
    expect(isOn(alarm, runs(0, 1), now + 299, true)).toBe(false);
  });

  const shares: readonly (readonly [string, Readonly<Record<string, number>>, boolean])[] = [
    // A wrong config: 40 of 40 requests get 400.
    ['token-refusals', { invalid: 40 }, true],
    ['token-refusals', { invalid: 11, issued: 11 }, true],
    ['token-refusals', { invalid: 11, issued: 12 }, false],
    ['token-refusals', { invalid: 10 }, false],
    // One old secret in a loop, which an instance throttles; and many clients.
    ['token-refusals', { failed: 100 }, false],
    ['token-refusals', { failed: 101 }, true],
    ['token-refusals', { failed: 101, issued: 102 }, false],
    ['management-tables-throttled', {}, false],
    ['management-tables-throttled', { audit: 1 }, true],
    ['management-tables-throttled', { apiKeys: 1, settings: 0 }, true],
    ['version-refuses-clients', { refused: 5, issued: 5 }, true],
    ['version-refuses-clients', { refused: 5, issued: 6 }, false],
  ];

  it.each(shares)('%s compares %j', (id, values, expected) => {
    const alarm = alarms[id] as Alarm;
    const [{ Expression = '' } = {}, ...metrics] = alarm.Metrics ?? [];
    const names = metrics.map(({ Id }) => Id);
    // oxlint-disable-next-line typescript/no-implied-eval -- the expression of our own template
    const value = new Function('IF', 'FILL', ...names, `return ${Expression.replace('AND', '&&')}`)(
      (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
      (given: number | undefined, missing: number) => given ?? missing,
      ...names.map((name) => values[name]),
    ) as number;
    expect(value >= alarm.Threshold).toBe(expected);
  });
});
