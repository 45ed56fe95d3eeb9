import { describe, expect, it } from 'vitest';
import { costOfGuard, guards } from '../../../lab/bench/cost/guard-cost.ts';
import { modelLoad } from '../../../lab/bench/cost/load-model.ts';
import { costOfMillion, countTraces, type TokenWork } from '../../../lab/bench/cost/token-cost.ts';

const work: TokenWork = {
  cpuMs: 1,
  waitMs: 13,
  signWaitMs: 10,
  logBytes: 2620,
  silentLogBytes: 1380,
  reportBytes: 900,
  responseBytes: 2000,
};
const usual = { name: 'usual', alg: 'RS256', memory: 1769, unsigned: 0, webAcl: false } as const;

function executions(tokensASecond: number, regions: number, waitMs: number): number {
  const { needs } = modelLoad(tokensASecond, regions, usual, { ...work, waitMs });
  return needs.find(({ name }) => name.startsWith('Lambda'))?.need ?? Number.NaN;
}

describe('the load model', () => {
  it.each([
    // Short requests: ten a second for each execution.
    [1000, 1, 13, 100],
    [100_000, 1, 13, 10_000],
    [100_000, 3, 13, 3333],
    // Longer ones: the time that each takes.
    [1000, 1, 499, 500],
  ])('%i tokens a second in %i regions at %i ms of waiting need %i executions', (...row) => {
    const [rate, regions, waitMs, expected] = row;
    expect(Math.floor(executions(rate, regions, waitMs))).toBe(expected);
  });
});

describe('the cost of a million tokens', () => {
  const base = costOfMillion(usual, work);

  it('has the logs for as long as they are kept', () => {
    const gigabytes = 2.62;
    const kept = 0.15 * 13 * 0.03 * gigabytes;
    expect(base['logs']).toBeCloseTo(0.5 * gigabytes + kept, 6);
  });

  it('has a trace for nearly each token at a low rate, and for 5 % at a high one', () => {
    const traces = (tokens: number, others = 0) =>
      costOfMillion({ ...usual, tracing: 'on' }, work, { tokens, others })['traces'] ?? Number.NaN;
    expect(traces(1000)).toBeCloseTo(5, 2);
    expect(traces(1e10)).toBeCloseTo(0.25, 2);
    expect(traces(1e6, 1e10)).toBeCloseTo(0.25, 2);
  });

  it('has a further trail and GuardDuty for each signature, and not for a request that is refused', () => {
    const watchers = { furtherTrails: 1, guardDuty: true };
    const watched = costOfMillion({ ...usual, watchers }, work);
    expect(watched['further trails, GuardDuty']).toBe(24);
    const refused = costOfMillion({ ...usual, watchers, unsigned: 0.75 }, work);
    expect(refused['further trails, GuardDuty']).toBe(6);
  });
});

describe('the traces of a month', () => {
  const seconds = 30 * 86_400;

  it.each([
    // Every other second on average: 39 % of the seconds have a request, and 5 % of the others count.
    [seconds / 2, 0.3935 * seconds + 0.05 * (0.5 - 0.3935) * seconds],
    // A thousand a second: each second has a first one.
    [1000 * seconds, seconds + 0.05 * 999 * seconds],
  ])('of %i requests are the first of each second, and 5 %% of the others', (requests, traces) => {
    expect(countTraces(requests) / traces).toBeCloseTo(1, 3);
  });
});

describe('what guards a platform API', () => {
  const costOf = (name: string) => {
    const guard = guards.find((each) => each.name === name);
    if (guard === undefined) throw new Error(`there is no guard ${name}`);
    return costOfGuard(guard, usual, { ...work, cpuMs: 0.1, logBytes: 1460 });
  };

  it('costs a run and its log if it is a function, and a read if it looks a key up', () => {
    const { Lambda: run = 0, logs = 0, DynamoDB } = costOf('`PlatformAuthorizer`, own token');
    expect(run).toBeCloseTo(0.2 + (1769 / 1024) * 1000 * 0.0000133334, 6);
    expect(logs).toBeGreaterThan(0.5 * 1.46);
    expect(DynamoDB).toBe(0);
    expect(costOf('`forward-auth`, API key')).toEqual({ Lambda: 0, logs: 0, DynamoDB: 0.0625 });
  });
});
