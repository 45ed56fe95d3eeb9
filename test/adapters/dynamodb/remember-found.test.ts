import { describe, expect, it } from 'vitest';
import { holdProviders, rememberFound } from '../../../adapters/dynamodb/stores/remember-found.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { IdentityProviderReader } from '../../../core/identity-provider/identity-provider.ts';
import { createProvider } from '../../../lab/support/verifier-world.ts';

const seconds = 5;
const provider = createProvider();

/** A store whose reads take a second each, and a clock that only they and `pass` move. */
function world(refreshAfter = seconds) {
  const records = new Map([['a', 'enabled']]);
  const state = { now: 1_000_000, reads: 0, down: false };
  const find = async (key: string): Promise<string | undefined> => {
    state.reads += 1;
    if (state.down) throw new UnavailableError('down');
    const found = records.get(key);
    state.now += 1000;
    return found;
  };
  const remembered = rememberFound(find, seconds, () => state.now, refreshAfter);
  return { records, state, find: remembered, pass: (ms: number) => (state.now += ms) };
}

describe('a look-up that remembers', () => {
  it('shows a change no later than its seconds after the read of the old record began', async () => {
    const { find, records, pass, state } = world();
    expect(await find('a')).toBe('enabled');
    records.set('a', 'disabled');
    pass(seconds * 1000 - 1001);
    expect(await find('a')).toBe('enabled');
    expect(state.reads).toBe(1);
    pass(1);
    expect(await find('a')).toBe('disabled');
  });

  it('forgets a deleted record as soon', async () => {
    const { find, records, pass } = world();
    await find('a');
    records.delete('a');
    pass(seconds * 1000);
    expect(await find('a')).toBeUndefined();
  });

  it('finds a new record at once: nothing is remembered of a missing one', async () => {
    const { find, records, state } = world();
    expect(await find('b')).toBeUndefined();
    records.set('b', 'enabled');
    expect(await find('b')).toBe('enabled');
    expect(state.reads).toBe(2);
  });

  it('does not use a record whose time is over while the store is down', async () => {
    const { find, state, pass } = world();
    await find('a');
    state.down = true;
    expect(await find('a')).toBe('enabled');
    pass(seconds * 1000);
    await expect(find('a')).rejects.toBeInstanceOf(UnavailableError);
    state.down = false;
    expect(await find('a')).toBe('enabled');
  });

  it('holds a bounded number of records', async () => {
    let reads = 0;
    const find = rememberFound(
      async (key: string) => {
        reads += 1;
        return key;
      },
      seconds,
      () => 0,
    );
    for (let index = 0; index <= 10_000; index += 1) await find(`key-${index}`);
    await find('key-10000');
    expect(reads).toBe(10_001);
    await find('key-0');
    expect(reads).toBe(10_002);
  });

  it('reads each time if it has no seconds', async () => {
    let reads = 0;
    const find = rememberFound(
      async () => {
        reads += 1;
        return 'x';
      },
      0,
      () => 0,
    );
    await find('a');
    await find('a');
    expect(reads).toBe(2);
  });

  describe('and reads ahead', () => {
    const refreshAfter = 2.5;

    it('reads a record in use again next to a request, which does not wait for it', async () => {
      const { find, records, pass, state } = world(refreshAfter);
      await find('a');
      records.set('a', 'disabled');
      pass(refreshAfter * 1000 - 1000);
      expect(await Promise.all([find('a'), find('a')])).toEqual(['enabled', 'enabled']);
      expect(state.reads).toBe(2);
      expect(await find('a')).toBe('disabled');
    });

    it('is one read every 2.5 seconds, however many requests there are', async () => {
      const { find, pass, state } = world(refreshAfter);
      const rate = 100;
      for (let request = 0; request < 60 * rate; request++) {
        expect(await find('a')).toBe('enabled');
        pass(1000 / rate);
      }
      // Each read moves this clock by a second.
      expect(state.reads).toBe(Math.ceil(state.now - 1_000_000) / (refreshAfter * 1000));
    });

    it('lets no failure of such a read decide, nor a record that is too old', async () => {
      const { find, state, pass } = world(refreshAfter);
      await find('a');
      state.down = true;
      pass(refreshAfter * 1000);
      expect(await find('a')).toBe('enabled');
      expect(await find('a')).toBe('enabled');
      pass(seconds * 1000 - refreshAfter * 1000 - 1000);
      await expect(find('a')).rejects.toBeInstanceOf(UnavailableError);
      state.down = false;
      expect(await find('a')).toBe('enabled');
    });

    it('forgets a record that is gone', async () => {
      const { find, records, pass } = world(refreshAfter);
      await find('a');
      records.delete('a');
      pass(refreshAfter * 1000);
      await find('a');
      expect(await find('a')).toBeUndefined();
    });
  });

  it('holds the record of a provider for 5 seconds, and longer if all are cached longer', async () => {
    for (const [cacheSeconds, held] of [
      [0, 5],
      [60, 60],
    ] as const) {
      let reads = 0;
      let now = 0;
      const reader: IdentityProviderReader = {
        findIdentityProvider: async () => {
          reads += 1;
          return provider;
        },
      };
      const providers = holdProviders(reader, cacheSeconds, () => now);
      await providers.findIdentityProvider(provider.issuer);
      now = held * 1000 - 1;
      expect(await providers.findIdentityProvider(provider.issuer)).toBe(provider);
      // The second one is ahead.
      expect(reads).toBe(2);
      now = 3 * held * 1000;
      await providers.findIdentityProvider(provider.issuer);
      expect(reads).toBe(3);
    }
  });
});
