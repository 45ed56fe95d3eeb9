// CloudFormation has no types here: a template is asserted, property by property.
/* oxlint-disable typescript/no-explicit-any */
import { beforeAll, describe, expect, it } from 'vitest';
import { usualReplicationLag } from '../../contract/key-metrics.ts';
import { Random } from '../../lab/suites/rotation/simulation/random.ts';
import { evaluate, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

/*
 * Metrics that are emitted only when they say something, against the same metrics with a value for
 * each run: histories of runs go through a model of CloudWatch's alarms, which are those of the
 * template.
 */

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

/** One run of a schedule, or of none if the function did not run. */
interface Run {
  readonly at: number;
  /** What the run found: 0 if nothing is wrong. */
  readonly found: number | undefined;
}

/** Ten hours of a schedule of five minutes, with phases of faults and of no runs at all. */
function history(seed: number, faulty: (random: Random) => number): readonly Run[] {
  const random = new Random(seed);
  const runs: Run[] = [];
  let [isFaulty, isDead] = [false, false];
  for (let run = 0; run < 120; run += 1) {
    if (random.chance(0.15)) isFaulty = !isFaulty;
    if (random.chance(isDead ? 0.3 : 0.02)) isDead = !isDead;
    // A run ends some seconds after the schedule.
    const at = run * 300 + 40 + random.integer(0, 30);
    const found = isFaulty && random.chance(0.9) ? faulty(random) : 0;
    runs.push({ at, found: isDead ? undefined : found });
  }
  return runs;
}

interface Rule {
  readonly id: string;
  readonly faulty: (random: Random) => number;
  readonly isEmitted: (found: number) => boolean;
}

const whenNotZero = (found: number) => found > 0;

const rules: readonly Rule[] = [
  {
    id: 'signing-key-overdue',
    faulty: (random) => random.integer(1, 200_000),
    isEmitted: whenNotZero,
  },
  {
    id: 'replication-lag',
    faulty: (random) => random.integer(0, 2000),
    isEmitted: (found) => found > usualReplicationLag,
  },
  { id: 'signing-key-jwks-full', faulty: () => 1, isEmitted: whenNotZero },
  { id: 'signing-key-refused', faulty: () => 1, isEmitted: whenNotZero },
];

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

/** The alarm and the value of each metric point, as they were or as they could be. */
interface Reading {
  readonly alarm: Alarm;
  /** Nothing if the run emits nothing. */
  readonly valueOf: (found: number) => number | undefined;
}

const minutes = 600;

function play(runs: readonly Run[], { alarm, valueOf }: Reading, aligned: boolean) {
  const points = runs.flatMap(({ at, found }) => {
    const value = found === undefined ? undefined : valueOf(found);
    return value === undefined ? [] : [{ at, value }];
  });
  return Array.from({ length: minutes }, (_, minute) => isOn(alarm, points, minute * 60, aligned));
}

/** Minutes at which an alarm that was on is not on in that minute, by the number of the history. */
function missed(before: Reading, after: Reading, faulty: Rule['faulty'], aligned: boolean) {
  let rang = 0;
  const silent: string[] = [];
  for (let seed = 1; seed <= 60; seed += 1) {
    const runs = history(seed, faulty);
    const [was, is] = [play(runs, before, aligned), play(runs, after, aligned)];
    for (let minute = 1; minute < minutes; minute += 1) {
      if (was[minute] && !was[minute - 1]) rang += 1;
      if (was[minute] && !is[minute]) silent.push(`${seed}/${minute}`);
    }
    // Nothing rings before a run has found a fault.
    const first = runs.find(({ found }) => found !== undefined && found > 0)?.at;
    const healthy = is.slice(0, first === undefined ? minutes : Math.floor(first / 60));
    expect(healthy.includes(true)).toBe(false);
  }
  return { rang, silent };
}

describe.each([
  ['windows that slide', false],
  ['windows that are aligned', true],
])('with %s', (_, aligned) => {
  it.each(rules)('$id is on whenever it was when each run had a value', (rule) => {
    const alarm = alarms[rule.id] as Alarm;
    const before: Reading = { alarm, valueOf: (found) => found };
    const after: Reading = {
      alarm,
      valueOf: (found) => (rule.isEmitted(found) ? found : undefined),
    };
    const { rang, silent } = missed(before, after, rule.faulty, aligned);
    expect(rang).toBeGreaterThan(20);
    expect(silent).toEqual([]);
  });

  it('issuer-check-failed would be silent if only failures had a value: the model sees it', () => {
    const alarm = alarms['issuer-check-failed'] as Alarm;
    const before: Reading = { alarm, valueOf: (found) => 1 - found };
    const after: Reading = {
      alarm: {
        ...alarm,
        Period: 1200,
        Threshold: 3,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      },
      valueOf: (found) => (found > 0 ? 1 : undefined),
    };
    expect(missed(before, after, () => 1, aligned).silent.length).toBeGreaterThan(0);
  });
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

  it('of a drop of traffic rings after half an hour far below what is usual', () => {
    const { templates } = synthesise({ ...readConfigFile('three-regions'), trafficAlarm: true });
    const region = templates['AuthorizationServer-slc'] as any;
    const [drop] = Object.values(resourcesOf(region, 'AWS::CloudWatch::Alarm'))
      .map(({ Properties }) => evaluate(Properties))
      .filter(({ AlarmName }) => AlarmName.endsWith('-traffic-drop'));
    const [watched] = drop.Metrics.filter(({ MetricStat }: any) => MetricStat !== undefined);
    const { Period, Stat: Statistic } = watched.MetricStat;
    const [, deviations] = /BAND\(\w+, (\d+)\)/.exec(JSON.stringify(drop.Metrics)) ?? [];
    // 100 tokens, give or take 5: the band that CloudWatch would learn.
    const Threshold = 100 - Number(deviations) * 5;
    const ComparisonOperator = 'LessThanThreshold';
    const alarm: Alarm = { ...drop, Period, Statistic, Threshold, ComparisonOperator };
    const after = (...last: readonly (number | undefined)[]) => {
      const values = [...Array.from({ length: 20 }, () => 100), ...last];
      const points = values.flatMap((value, index) =>
        value === undefined ? [] : [{ at: index * Period + 5, value }],
      );
      return isOn(alarm, points, values.length * Period, true);
    };
    expect([after(79, 79), after(100, 79), after(80, 80)]).toEqual([true, false, false]);
    expect(after(...Array.from({ length: 4 }, () => undefined))).toBe(true);
  });

  const shares: readonly (readonly [string, Readonly<Record<string, number>>, boolean])[] = [
    ['invalid-client-share', { invalid: 11, issued: 11 }, true],
    ['invalid-client-share', { throttled: 30 }, true],
    ['invalid-client-share', { invalid: 11, issued: 12 }, false],
    ['invalid-client-share', { invalid: 10 }, false],
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
