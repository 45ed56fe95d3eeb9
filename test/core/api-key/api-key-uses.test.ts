import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { apiKeyUseBounds, secondsPerDay } from '../../../contract/bounds.ts';
import {
  createUseRecorder,
  type RecordedUse,
  readUseDay,
} from '../../../core/api-key/api-key-uses.ts';
import { formatId } from '../../../core/credential/credential-value.ts';
import { isUseDue } from '../../../core/credential/last-use.ts';

const now = 1_800_000_000;
const use = { keyId: 'key_a', valueId: 'key_a' };

/** @param stored what the table has of every value. */
function recorder(answer: () => Promise<void> = async () => undefined, stored?: string) {
  const written: RecordedUse[] = [];
  const read: string[] = [];
  const record = createUseRecorder({
    readDay: async ({ valueId }) => {
      read.push(valueId);
      return stored;
    },
    write: (one) => {
      written.push(one);
      return answer();
    },
  });
  return { record, written, read };
}

describe('the recorder of uses', () => {
  it('writes a value once a day, at its first use, with the day and when it is deleted', async () => {
    const { record, written } = recorder();
    for (const after of [0, 1, 3600]) {
      record(use, now + after);
      await setImmediate();
    }
    expect(written).toEqual([
      { ...use, day: '2027-01-15', nextDay: '2027-01-16', expiresAt: now + 400 * secondsPerDay },
    ]);
    record(use, now + secondsPerDay);
    await setImmediate();
    expect(written.map(({ day }) => day)).toEqual(['2027-01-15', '2027-01-16']);
  });

  it('reads a value that another instance has recorded once a day, and does not write it', async () => {
    const { record, written, read } = recorder(undefined, '2027-01-15');
    for (const after of [0, 1, 3600]) {
      record(use, now + after);
      await setImmediate();
    }
    expect({ read, written }).toEqual({ read: ['key_a'], written: [] });
  });

  it('remembers 100,000 values, so each of them is read once', async () => {
    const { record, read } = recorder(undefined, '2027-01-15');
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < apiKeyUseBounds.remembered; index++) {
        record({ keyId: 'key', valueId: `key_${index}` }, now);
        if (index % apiKeyUseBounds.concurrent === 0) await setImmediate();
      }
      await setImmediate();
    }
    expect(read).toHaveLength(apiKeyUseBounds.remembered);
  });

  it('writes each value of a key', async () => {
    const { record, written } = recorder();
    record(use, now);
    record({ ...use, valueId: 'secret_b' }, now);
    await setImmediate();
    expect(written.map(({ valueId }) => valueId)).toEqual(['key_a', 'secret_b']);
  });

  it('writes one value once while the write is under way, also if the instance was frozen', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { record, written } = recorder(() => promise);
    record(use, now);
    record(use, now + 7200);
    await setImmediate();
    expect(written).toHaveLength(1);
    resolve();
    await setImmediate();
    record(use, now + 7200);
    expect(written).toHaveLength(1);
  });

  it('throws nothing and writes nothing for a minute after a write that failed, then again', async () => {
    const { record, written } = recorder(() => Promise.reject(new Error('down')));
    record(use, now);
    await setImmediate();
    record(use, now + apiKeyUseBounds.pause - 1);
    record({ keyId: 'key_b', valueId: 'key_b' }, now + 1);
    expect(written).toHaveLength(1);
    record(use, now + apiKeyUseBounds.pause);
    await setImmediate();
    expect(written).toHaveLength(2);
  });

  it('has at most 16 writes under way, and makes the others with later uses', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { record, written } = recorder(() => promise);
    const useAll = () => {
      for (let index = 0; index < 40; index++) {
        record({ keyId: `key_${index}`, valueId: `key_${index}` }, now);
      }
    };
    useAll();
    await setImmediate();
    expect(written).toHaveLength(16);
    resolve();
    await setImmediate();
    useAll();
    await setImmediate();
    expect(written).toHaveLength(32);
  });
});

describe('the first hour after midnight UTC', () => {
  const day = now - (now % secondsPerDay);
  const ids = Array.from({ length: 7200 }, () => formatId('apiKey', randomBytes(16)));
  const due = (at: number, recorded: string | undefined) =>
    ids.filter((id) => isUseDue(id, recorded, day + at)).length;

  it('spreads the first uses of credentials that were used the day before', () => {
    const perMinute = Array.from({ length: 61 }, (_, minute) => due(60 * minute, '2027-01-14'))
      .slice(1)
      .map((count, index, counts) => count - (counts[index - 1] ?? 0));
    expect(perMinute.reduce((sum, count) => sum + count)).toBe(ids.length);
    // 120 on average; the deviation is 11.
    expect(Math.max(...perMinute)).toBeLessThan(200);
  });

  it.each([
    ['was never used', undefined],
    ['was last used two days before', '2027-01-13'],
  ])('delays no use of one that %s', (_, recorded) => expect(due(0, recorded)).toBe(ids.length));

  it.each(['2027-01-15', '2027-01-16'])('is over for one that was used on %s', (recorded) =>
    expect(due(secondsPerDay - 1, recorded)).toBe(0),
  );
});

describe('what is stored of a use', () => {
  it.each([
    ['2027-01-15', '2027-01-15'],
    // The clock of another host is ahead.
    ['2027-01-16', '2027-01-16'],
    ['2027-01-17', undefined],
    ['9999-12-31', undefined],
    ['yesterday', undefined],
    ['2027-01-15<script>', undefined],
    [20_270_115, undefined],
    [undefined, undefined],
  ])('%s is shown as %s', (stored, day) => expect(readUseDay(stored, now)).toBe(day));
});
