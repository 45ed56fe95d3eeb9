import { describe, expect, it } from 'vitest';
import { ClockError } from '../../../core/errors.ts';
import { CheckedClock } from '../../../core/server-date.ts';

const start = 1_800_000_000_000;

/** A host that had a response of AWS 10 s ago, after a call of 3 s, with a clock that is wrong by so much. */
function hostOf(error: number, leeway = 60): CheckedClock {
  let counter = 500;
  const clock = new CheckedClock(
    () => start + 10_000 + error,
    () => counter,
    leeway,
  );
  clock.begin();
  clock.record(start, 3000);
  counter += 10_000;
  return clock;
}

describe('a checked clock', () => {
  it.each([0, -30_000, 34_000])('is read while it differs by %d ms', (error) => {
    expect(hostOf(error).now()).toBe((start + 10_000 + error) / 1000);
  });

  it.each([
    [-30_001, 'the clock of this function is 30 s behind the time that AWS says'],
    [34_001, 'the clock of this function is 34 s ahead of the time that AWS says'],
    [-1_500_000, 'is 1500 s behind'],
    [4_000_000, 'is 4000 s ahead of'],
  ])('is refused when it differs by %d ms', (error, message) => {
    const clock = hostOf(error);
    expect(() => clock.now()).toThrow(ClockError);
    expect(() => clock.now()).toThrow(message);
  });

  it('may be a second wrong without a leeway, because AWS tells whole seconds', () => {
    expect(hostOf(-1000, 0).now()).toBe(start / 1000 + 9);
    expect(() => hostOf(-1001, 0).now()).toThrow(ClockError);
  });

  it('is refused before AWS has answered, in each run', () => {
    const clock = hostOf(0);
    expect(clock.now()).toBe(start / 1000 + 10);
    clock.begin();
    expect(() => clock.now()).toThrow('AWS has not responded in this run');
  });

  it('is checked against the latest answer', () => {
    const clock = hostOf(500_000);
    clock.record(start + 510_000, 0);
    expect(clock.now()).toBe(start / 1000 + 510);
  });
});
