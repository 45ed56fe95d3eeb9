import { describe, expect, it } from 'vitest';
import { FunctionFailedError } from '../../../adapters/lambda/invocation.ts';
import type { SelfTestResult } from '../../../contract/function-events.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { awaitSelfTest, createPause } from '../../../lambda/key-rotation/await-self-test.ts';

const denial = Object.assign(
  new Error(
    'User: x is not authorized to perform: lambda:InvokeFunction on resource: arn:aws:lambda:us-west-2:111122223333:function:auth-token because no identity-based policy allows the lambda:InvokeFunction action',
  ),
  { name: 'AccessDeniedException' },
);

/** Time that passes only while someone sleeps. Milliseconds. */
function createTime(limit: number) {
  const slept: number[] = [];
  return {
    slept,
    sleep: async (milliseconds: number) => {
      slept.push(milliseconds);
    },
    remaining: () => limit - slept.reduce((sum, pause) => sum + pause, 0),
  };
}

describe('the wait for the self-test', () => {
  it('goes on while the rotation may not invoke the token function yet', async () => {
    const answers: (() => Promise<SelfTestResult>)[] = [
      () => Promise.reject(denial),
      () => Promise.reject(new UnavailableError('no answer')),
      async () => ({ ok: false, reason: 'no key' }),
    ];
    const time = createTime(840_000);
    await awaitSelfTest(async () => answers.shift()?.() ?? { ok: true }, time);
    expect(time.slept).toEqual([2000, 3000, 4500]);
  });

  it('names the permission that is missing when the time is over', async () => {
    const time = createTime(840_000);
    await expect(awaitSelfTest(() => Promise.reject(denial), time)).rejects.toThrow(
      'the deployment ran out of time: the token function does not sign: IAM does not allow lambda:InvokeFunction on arn:aws:lambda:us-west-2:111122223333:function:auth-token: no identity-based policy allows it',
    );
    expect(time.remaining()).toBeGreaterThanOrEqual(15_000);
    expect(time.remaining()).toBeLessThan(25_000);
  });

  it('gives up within a minute if the code of the token function fails each time', async () => {
    const time = createTime(840_000);
    const crash = new FunctionFailedError('auth-token failed: x is not a function');
    await expect(awaitSelfTest(() => Promise.reject(crash), time)).rejects.toThrow(
      'the token function fails each time: auth-token failed: x is not a function',
    );
    expect(840_000 - time.remaining()).toBeGreaterThan(30_000);
    expect(840_000 - time.remaining()).toBeLessThan(60_000);
  });

  it('counts only failures without another answer between them', async () => {
    const crash = () => Promise.reject(new FunctionFailedError('auth-token failed: timeout'));
    const pending = async (): Promise<SelfTestResult> => ({ ok: false, reason: 'no key' });
    const answers = Array.from({ length: 5 }, () => [crash, crash, crash, pending]).flat();
    const time = createTime(840_000);
    await awaitSelfTest(async () => answers.shift()?.() ?? { ok: true }, time);
    expect(time.slept).toHaveLength(20);
  });

  it('ends at once for an error that no time cures', async () => {
    const time = createTime(840_000);
    const error = Object.assign(new Error('gone'), { name: 'ResourceNotFoundException' });
    await expect(awaitSelfTest(() => Promise.reject(error), time)).rejects.toBe(error);
    expect(time.slept).toEqual([]);
  });
});

describe('a pause', () => {
  it('grows up to ten seconds', async () => {
    const time = createTime(840_000);
    const pause = createPause(time);
    for (let times = 0; times < 7; times += 1) await pause('a reason');
    expect(time.slept).toEqual([2000, 3000, 4500, 6750, 10_000, 10_000, 10_000]);
  });
});
