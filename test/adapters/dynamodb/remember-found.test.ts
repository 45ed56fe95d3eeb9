import { describe, expect, it } from 'vitest';
import { rememberFound } from '../../../adapters/dynamodb/stores/remember-found.ts';
import { UnavailableError } from '../../../core/errors.ts';

const seconds = 5;

/** A store whose reads take a second each, and a clock that only they and `pass` move. */
function world() {
  const records = new Map([['a', 'enabled']]);
  const state = { now: 1_000_000, reads: 0, down: false };
  const find = async (key: string): Promise<string | undefined> => {
    state.reads += 1;
    if (state.down) throw new UnavailableError('down');
    const found = records.get(key);
    state.now += 1000;
    return found;
  };
  const remembered = rememberFound(find, seconds, () => state.now);
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
});
