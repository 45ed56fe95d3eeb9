import { describe, expect, it } from 'vitest';
import { ServiceUnavailableError } from '../../../core/errors.ts';
import { SignHistory } from '../../../core/signing-key/sign-history.ts';
import { FairShare } from '../../../core/token/fair-share.ts';
import type { TokenLogFields } from '../../../core/token/token-values.ts';
import { makeSigningKey } from '../../../lab/support/signing-keys.ts';

const start = 1_800_000_000;
const { key } = makeSigningKey('ES256');
const throttling = new ServiceUnavailableError('KMS', 'throttled', { isThrottling: true });

function setUp(settings: { isEnforced?: boolean; signsPerMinute?: number } = {}) {
  const clock = { now: start };
  const history = new SignHistory();
  let failure: Error | undefined;
  const sign = history.watch(
    async () => {
      if (failure !== undefined) throw failure;
      return Buffer.from('');
    },
    () => clock.now * 1000,
  );
  const share = new FairShare({ isEnforced: true, signsPerMinute: 240, ...settings }, history);
  /** @param client with its trunk group before a slash, if it is not its own. */
  const ask = async (client: string) => {
    const log: TokenLogFields = {};
    const [serviceTrunkGroup = ''] = client.split('/');
    try {
      await share.take({ clientId: client, serviceTrunkGroup }, { now: clock.now, log }, () =>
        sign(key, Buffer.from('')),
      );
      return { result: 'signed', log };
    } catch (error) {
      return { result: error === failure ? 'throttled' : (error as Error).message, log };
    }
  };
  const askOften = async (client: string, times: number) => {
    const results: string[] = [];
    for (let n = 0; n < times; n++) results.push((await ask(client)).result);
    return results;
  };
  const throttleOnce = async (client: string, error: Error = throttling) => {
    failure = error;
    await ask(client);
    failure = undefined;
  };
  return { clock, history, ask, askOften, throttleOnce };
}

describe('while KMS throttles', () => {
  it('a client gets as many signatures as all that asked less than half as much', async () => {
    const { ask, askOften, throttleOnce } = setUp();
    await askOften('greedy', 8);
    await askOften('polite', 4);
    expect((await ask('greedy')).result).toBe('signed');
    await throttleOnce('greedy');
    expect((await ask('greedy')).result).toBe('client_share');
    expect((await ask('polite')).result).toBe('signed');
  });

  it('a trunk group gets as many as all smaller ones together, with however many clients', async () => {
    const { ask, askOften, throttleOnce } = setUp();
    const greedy = Array.from({ length: 8 }, (_, client) => `greedy/${client}`);
    for (const client of greedy) await askOften(client, 3);
    await askOften('polite', 10);
    await throttleOnce('polite');
    for (const client of greedy) expect((await ask(client)).result).toBe('trunk_group_share');
    expect((await ask('polite')).result).toBe('signed');
  });

  it('what a client may not take does not count for its trunk group', async () => {
    const { ask, askOften, throttleOnce } = setUp({ signsPerMinute: 20 });
    await askOften('group/greedy', 100);
    await askOften('polite', 12);
    await throttleOnce('polite');
    expect((await ask('group/other')).result).toBe('signed');
  });

  it.each([
    ['there are fewer than ten requests', 5, 2],
    ['others ask less than a twentieth', 40, 2],
    ['another asks half as much', 12, 7],
    ['no other asks', 50, 0],
  ])('no one is limited if %s', async (_, mine, other) => {
    const { ask, askOften, throttleOnce } = setUp();
    await askOften('one', mine);
    await askOften('other', other);
    await throttleOnce('one');
    expect((await ask('one')).result).toBe('signed');
  });

  it.each([
    ['before it does', undefined, 0],
    ['a minute later', throttling, 60],
    ['if it fails in another way', new ServiceUnavailableError('KMS', 'down'), 0],
    [
      'if another service throttles',
      new ServiceUnavailableError('DynamoDB', 'throttled', { isThrottling: true }),
      0,
    ],
  ])('and not %s', async (_, error, later) => {
    const { clock, ask, askOften, throttleOnce } = setUp();
    if (error !== undefined) await throttleOnce('polite', error);
    clock.now += later;
    await askOften('greedy', 30);
    await askOften('polite', 5);
    expect((await ask('greedy')).result).toBe('signed');
  });

  it('old requests count less: half after half a minute, and after a day not at all', async () => {
    const { clock, ask, askOften, throttleOnce } = setUp();
    await askOften('greedy', 64);
    await askOften('polite', 16);
    clock.now += 30;
    await throttleOnce('polite');
    expect((await ask('greedy')).result).toBe('client_share');
    clock.now += 86_400;
    await throttleOnce('polite');
    expect((await askOften('greedy', 8)).at(-1)).toBe('signed');
    expect(await askOften('polite', 3)).toEqual(['signed', 'signed', 'signed']);
  });
});

describe('at any time', () => {
  it('a client gets so many new tokens a minute, and others get theirs', async () => {
    const { clock, ask, askOften } = setUp({ signsPerMinute: 20 });
    const results = await askOften('greedy', 25);
    expect(results.filter((result) => result === 'signed')).toHaveLength(20);
    expect(results.at(-1)).toBe('client_signs_per_minute');
    expect((await ask('polite')).result).toBe('signed');
    clock.now += 75;
    const later = await askOften('greedy', 25);
    expect(later.filter((result) => result === 'signed')).toHaveLength(5);
    clock.now += 120;
    expect((await ask('greedy')).result).toBe('signed');
  });

  it('a client above a limit is only counted, if the config says so', async () => {
    const { ask, askOften } = setUp({ signsPerMinute: 20, isEnforced: false });
    expect(new Set(await askOften('greedy', 25))).toEqual(new Set(['signed']));
    expect((await ask('greedy')).log.clientThrottle).toBe('client_signs_per_minute');
  });

  it('the share of a client that asks for half of what it may is in the log', async () => {
    const { clock, ask, askOften } = setUp({ isEnforced: false, signsPerMinute: 240 });
    for (let second = 0; second < 120; second++) {
      await askOften('greedy', 3);
      await askOften('polite', 1);
      clock.now += 1;
    }
    expect((await ask('greedy')).log.largestShare).toBe(75);
    expect((await ask('polite')).log.largestShare).toBeUndefined();
  });
});
