import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AwsJsonClient } from '../../adapters/aws-json/aws-json-client.ts';
import { createSealedTokenStore } from '../../adapters/dynamodb/sealed-token-store.ts';
import type * as Limits from '../../contract/limits.ts';
import { figure } from '../support/figure.ts';

// Those of production: the setup of the tests has longer ones.
const { sealedTokenWaits } = await vi.importActual<typeof Limits>('../../contract/limits.ts');

/** DynamoDB takes the request and never answers; the connection may not even be there. */
const mute: AwsJsonClient = {
  open: () => undefined,
  close: () => undefined,
  call: () => new Promise(() => undefined),
};
const item = { itemId: 'item', sealed: new Uint8Array(8), expiresAt: 1 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** @returns after how many milliseconds of the timers it is over. */
async function timeOf(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  void work.then(() => {
    isOver = true;
  });
  for (let time = 0; time < 100; time += 1) {
    // The turns of the event loop in which sockets are read once more.
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    if (isOver) return time;
    await vi.advanceTimersByTimeAsync(1);
  }
  return Number.POSITIVE_INFINITY;
}

describe('a table of sealed tokens that never answers', () => {
  it('delays a token by the two bounds and no longer', async () => {
    const store = createSealedTokenStore(mute, 'sealed-tokens', sealedTokenWaits);
    const read = await timeOf(store.read('item')());
    const write = await timeOf(store.write(item));
    expect({ read, write }).toEqual(sealedTokenWaits);
    figure('a table of sealed tokens that never answers', {
      'milliseconds waited to read': read,
      'milliseconds waited to write': write,
    });
  });

  it('delays nothing that does not need the token: a request that is refused', () => {
    const call = vi.fn(() => new Promise<unknown>(() => undefined));
    createSealedTokenStore({ ...mute, call }, 'sealed-tokens', sealedTokenWaits).read('item');
    expect(call).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
