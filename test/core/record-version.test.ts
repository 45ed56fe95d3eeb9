import { describe, expect, it } from 'vitest';
import { parseClientItem, toClientItem } from '../../adapters/dynamodb/items/client-item.ts';
import { firstVersion, isFirstVersion } from '../../core/record-version.ts';
import { makeClient } from '../../lab/support/clients.ts';

const of = (byte: number) => firstVersion((length) => new Uint8Array(length).fill(byte));

describe('the first version of a record', () => {
  it('is another with other bytes', () => {
    expect(of(1)).not.toBe(of(2));
  });

  it.each([0, 1, 127, 255])('from bytes %i can be stored, and typed as --if-version', (byte) => {
    const last = of(byte) + 4096;
    const client = makeClient({ version: last });
    expect(parseClientItem(toClientItem(client)).version).toBe(last);
    expect(String(last)).toMatch(/^\d{1,15}$/);
  });

  it('is told from those of later changes', () => {
    const first = of(200);
    expect([first, first + 1, first + 4095].map(isFirstVersion)).toEqual([true, false, false]);
  });
});
