import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { apiKeyUseBounds, secondsPerDay } from '../../../contract/bounds.ts';
import {
  createUseRecorder,
  type RecordedUse,
  readUseDay,
} from '../../../core/api-key/api-key-uses.ts';

const now = 1_800_000_000;
const use = { keyId: 'key_a', valueId: 'key_a' };

function recorder(answer: () => Promise<void> = async () => undefined) {
  const written: RecordedUse[] = [];
  const record = createUseRecorder((one) => {
    written.push(one);
    return answer();
  });
  return { record, written };
}

describe('the recorder of uses', () => {
  it('writes a value once a day, at its first use, with the day and when it is deleted', async () => {
    const { record, written } = recorder();
    for (const after of [0, 1, 3600]) {
      record(use, now + after);
      await setImmediate();
    }
    expect(written).toEqual([
      {
        ...use,
        day: '2027-01-15',
        nextDay: '2027-01-16',
        expiresAt: now + 400 * secondsPerDay,
      },
    ]);
    record(use, now + secondsPerDay);
    await setImmediate();
    expect(written.map(({ day }) => day)).toEqual(['2027-01-15', '2027-01-16']);
  });

  it('writes each value of a key', async () => {
    const { record, written } = recorder();
    record(use, now);
    record({ ...use, valueId: 'secret_b' }, now);
    expect(written.map(({ valueId }) => valueId)).toEqual(['key_a', 'secret_b']);
  });

  it('writes one value once while the write is under way, also if the instance was frozen', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { record, written } = recorder(() => promise);
    record(use, now);
    record(use, now + 7200);
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
    expect(written).toHaveLength(16);
    resolve();
    await setImmediate();
    useAll();
    expect(written).toHaveLength(32);
  });
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
