import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../core/errors.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { SigningKeyCache } from '../../../core/signing-key/signing-key-cache.ts';
import { makeSigningKey } from '../../../lab/support/signing-keys.ts';

const first = [makeSigningKey().key];
const second = [makeSigningKey().key];

/** A table whose answer a test changes, and that counts how often it is asked. */
function makeTable(initial: readonly SigningKey[] | Error) {
  const table = {
    answer: initial,
    reads: 0,
    listSigningKeys: async () => {
      table.reads += 1;
      await Promise.resolve();
      if (table.answer instanceof Error) throw table.answer;
      return table.answer;
    },
  };
  return table;
}

const settings = { refreshInterval: 60, maxAge: 300 };

function setUp(initial: readonly SigningKey[] | Error) {
  const table = makeTable(initial);
  return { table, cache: new SigningKeyCache(table, settings) };
}

describe('the list of signing keys', () => {
  it('is read once within the refresh interval', async () => {
    const { table, cache } = setUp(first);
    for (const now of [100, 100, 159]) expect(await cache.listSigningKeys(now)).toBe(first);
    expect(table.reads).toBe(1);
    table.answer = second;
    expect(await cache.listSigningKeys(160)).toBe(second);
    expect(table.reads).toBe(2);
  });

  it('is read once by requests that come together', async () => {
    const { table, cache } = setUp(first);
    const lists = await Promise.all([1, 2, 3].map(() => cache.listSigningKeys(100)));
    expect(lists).toEqual([first, first, first]);
    expect(table.reads).toBe(1);
  });

  it('is read again for a caller that needs a newer one', async () => {
    const { table, cache } = setUp(first);
    await cache.listSigningKeys(100);
    table.answer = second;
    expect(await cache.listSigningKeys(101, { maxAge: 2 })).toBe(first);
    expect(await cache.listSigningKeys(102)).toBe(first);
    expect(await cache.listSigningKeys(102, { maxAge: 2 })).toBe(second);
    table.answer = new UnavailableError('down');
    for (const now of [104, 105, 106]) {
      expect(await cache.listSigningKeys(now, { maxAge: 2 })).toBe(second);
    }
    expect(table.reads).toBe(3);
  });

  it('keeps its keys while the table does not answer, and asks again at intervals', async () => {
    const { table, cache } = setUp(first);
    await cache.listSigningKeys(100);
    table.answer = new UnavailableError('down');
    for (const now of [160, 161, 164]) expect(await cache.listSigningKeys(now)).toBe(first);
    expect(table.reads).toBe(2);
    expect(await cache.listSigningKeys(165)).toBe(first);
    expect(table.reads).toBe(3);
    table.answer = second;
    expect(await cache.listSigningKeys(170)).toBe(second);
  });

  it('is read as often as it should be, however short the interval', async () => {
    const table = makeTable(first);
    const cache = new SigningKeyCache(table, { refreshInterval: 1, maxAge: 2 });
    for (let now = 100; now < 110; now += 1) await cache.listSigningKeys(now);
    expect(table.reads).toBe(10);
    table.answer = new UnavailableError('down');
    expect(await cache.listSigningKeys(110)).toBe(first);
    table.answer = second;
    expect(await cache.listSigningKeys(111)).toBe(second);
  });

  it('is not used when it is too old', async () => {
    const { table, cache } = setUp(first);
    await cache.listSigningKeys(100);
    table.answer = new UnavailableError('down');
    expect(await cache.listSigningKeys(400)).toBe(first);
    await expect(cache.listSigningKeys(401)).rejects.toThrow('too old');
    await expect(cache.listSigningKeys(410)).rejects.toThrow('too old');
    table.answer = second;
    expect(await cache.listSigningKeys(415)).toBe(second);
  });

  it('is not replaced by an empty one', async () => {
    const { table, cache } = setUp(first);
    await cache.listSigningKeys(100);
    table.answer = [];
    expect(await cache.listSigningKeys(200)).toBe(first);
  });

  it.each([
    ['empty', []],
    ['not answering', new UnavailableError('down')],
  ])('is unavailable if the table was %s from the start, and asked each time', async (_n, bad) => {
    const { table, cache } = setUp(bad);
    await expect(cache.listSigningKeys(100)).rejects.toThrow(UnavailableError);
    table.answer = first;
    expect(await cache.listSigningKeys(100)).toBe(first);
  });

  it.each([
    ['an outage', new UnavailableError('down')],
    ['an error that no one expected', new TypeError('a defect')],
  ])('goes on through %s, which it shows', async (_, error) => {
    const { table, cache } = setUp(first);
    await cache.listSigningKeys(100);
    expect(cache.failure).toBeUndefined();
    table.answer = error;
    expect(await cache.listSigningKeys(200)).toBe(first);
    expect(cache.failure).toBe(error);
    await expect(cache.listSigningKeys(401)).rejects.toMatchObject({ cause: error });
    table.answer = second;
    await cache.listSigningKeys(500);
    expect(cache.failure).toBeUndefined();
  });

  it('is read again after a clock went back', async () => {
    const { table, cache } = setUp(first);
    await cache.listSigningKeys(1000);
    table.answer = second;
    expect(await cache.listSigningKeys(500)).toBe(second);
  });
});
