import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authenticationFailureThrottle as limits } from '../../../contract/bounds.ts';
import { TooManyFailuresError } from '../../../core/errors.ts';
import { type Attempt, FailureThrottle } from '../../../core/token/failure-throttle.ts';
import { cpuCost } from '../../../lab/support/cpu-cost.ts';

const now = 1_800_000_000;
const attempt = (different: Partial<Attempt> = {}): Attempt => ({
  clientId: 'client_a',
  clientSecret: 'wrong',
  source: '192.0.2.1',
  ...different,
});

function isAllowed(limiter: FailureThrottle, about: Attempt, at = now): boolean {
  try {
    limiter.assertAllowed(about, at);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(TooManyFailuresError);
    return false;
  }
}

function fail(limiter: FailureThrottle, times: number, about: (index: number) => Attempt): void {
  for (let index = 0; index < times; index += 1) limiter.record(about(index), now);
}

describe('the failure limiter', () => {
  it('refuses every secret of a client from a source that tried many', () => {
    const limiter = new FailureThrottle(limits);
    const guess = (index: number) => attempt({ clientSecret: `guess-${index}` });
    fail(limiter, limits.distinctSecrets - 1, guess);
    expect(isAllowed(limiter, guess(99))).toBe(true);
    limiter.record(guess(99), now);
    expect(isAllowed(limiter, guess(100))).toBe(false);
    expect(isAllowed(limiter, attempt({ clientSecret: 'right' }))).toBe(false);
  });

  it('holds up no other source and no other client', () => {
    const limiter = new FailureThrottle(limits);
    fail(limiter, 1000, (index) => attempt({ clientSecret: `guess-${index}` }));
    expect(isAllowed(limiter, attempt({ source: '192.0.2.2' }))).toBe(true);
    expect(isAllowed(limiter, attempt({ clientId: 'client_b' }))).toBe(true);
  });

  it('refuses one wrong secret after a while, and lets the right one in', () => {
    const limiter = new FailureThrottle(limits);
    fail(limiter, limits.repetitions, () => attempt());
    expect(isAllowed(limiter, attempt())).toBe(false);
    expect(isAllowed(limiter, attempt({ clientSecret: 'right' }))).toBe(true);
  });

  it('says how long to wait, and forgets by then', () => {
    const limiter = new FailureThrottle(limits);
    fail(limiter, limits.repetitions, () => attempt());
    expect(() => limiter.assertAllowed(attempt(), now + 20)).toThrow(
      expect.objectContaining({ retryAfter: limits.window - 20 }),
    );
    expect(isAllowed(limiter, attempt(), now + limits.window - 1)).toBe(false);
    expect(isAllowed(limiter, attempt(), now + limits.window)).toBe(true);
  });

  it('does not hold anybody up for longer because the clock goes back', () => {
    const limiter = new FailureThrottle(limits);
    fail(limiter, limits.repetitions, () => attempt());
    expect(isAllowed(limiter, attempt(), now - 3600)).toBe(true);
  });

  it('takes parts of an attempt for what they are, wherever one ends', () => {
    const limiter = new FailureThrottle(limits);
    fail(limiter, 1000, (index) => attempt({ clientId: 'a', clientSecret: `b${index}` }));
    expect(isAllowed(limiter, attempt({ clientId: 'ab', clientSecret: '' }))).toBe(true);
    expect(isAllowed(limiter, attempt({ source: '192.0.2.1"', clientId: 'a' }))).toBe(true);
  });

  it('keeps no more counters than it may, the newest ones', () => {
    const limiter = new FailureThrottle({ ...limits, capacity: 100 });
    fail(limiter, 10_000, (index) => attempt({ clientId: `client_${index}` }));
    const last = (index: number) => attempt({ clientId: `client_${9999 - index}` });
    fail(limiter, limits.repetitions - 1, () => last(0));
    expect(isAllowed(limiter, last(0))).toBe(false);
  });

  it('never refuses a source that has not failed, even if all others fail', () => {
    const other = fc.record({
      clientId: fc.constantFrom('client_a', 'client_b'),
      clientSecret: fc.string(),
      source: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1'),
    });
    fc.assert(
      fc.property(fc.array(other, { maxLength: 200 }), other, (attempts, mine) => {
        const limiter = new FailureThrottle(limits);
        for (const one of attempts) limiter.record(one, now);
        expect(isAllowed(limiter, { ...mine, source: '198.51.100.7' })).toBe(true);
      }),
    );
  });

  it('costs next to nothing if no attempt failed', async () => {
    const limiter = new FailureThrottle(limits);
    const cost = await cpuCost(() => {
      for (let count = 0; count < 100_000; count += 1) limiter.assertAllowed(attempt(), now);
    });
    // About a microsecond each; a token takes a hundred.
    expect(cost).toBeLessThan(100);
  });
});
