import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { least } from '../../../core/narrowing/meets.ts';
import {
  type LaterOf,
  type NarrowTable,
  narrow,
  onlyNarrows,
} from '../../../core/narrowing/narrow.ts';
import { apiKeyTable, clientTable } from '../../../core/narrowing/tables.ts';
import * as any from '../../support/arbitraries.ts';

interface Parcel {
  readonly id: string;
  readonly weight: number;
  readonly note?: string | undefined;
}

const rows = { id: 'identity', weight: { over: 'last', meet: least } } as const;

describe('the table of a record', () => {
  it('has a row for each attribute, and a later state each that it narrows, or does not compile', () => {
    const table = { ...rows, note: 'label' } as const satisfies NarrowTable<Parcel>;
    // @ts-expect-error: no row says what less of a note is.
    const incomplete: NarrowTable<Parcel> = rows;
    // @ts-expect-error: the later state does not say the weight.
    const later: LaterOf<Parcel, typeof table> = { note: 'x' };
    // @ts-expect-error: nor does this one say the note.
    const unlabelled: LaterOf<Parcel, typeof table> = { weight: 1 };
    const names = Object.keys({ ...incomplete, ...later, ...unlabelled });
    expect(names).toEqual(['id', 'weight', 'note']);
  });

  it('knows no mere stop in what it does not know', () => {
    const parcel = { id: 'a', weight: 2, note: 'x' };
    const table: NarrowTable<Parcel> = { ...rows, note: 'label' };
    expect(onlyNarrows(table, parcel, { ...parcel, weight: 1 })).toBe(true);
    expect(onlyNarrows(table, parcel, { ...parcel, note: 'y' })).toBe(false);
    expect(onlyNarrows(table, parcel, Object.assign({ constructor: 'y' }, parcel))).toBe(false);
  });
});

/** What both of two records of one kind allow is no more than either, and meeting it again is the same. */
function holds<T extends object>(table: NarrowTable<T>, a: T, other: T): void {
  const identity = Object.entries(table).filter(([, row]) => typeof row === 'string');
  const same = identity.map(([name]) => [name, a[name as keyof T]]);
  const b = { ...other, ...(Object.fromEntries(same) as Partial<T>) };
  const { item, empty } = narrow(table, a, { ever: [b], last: [b] });
  if (empty.size > 0) return;
  expect(onlyNarrows(table, a, item)).toBe(true);
  expect(narrow(table, item, { ever: [b], last: [b] }).item).toEqual(item);
}

describe('what two states allow', () => {
  it('of a client is no more than the first, and the same when the second counts twice', () => {
    fc.assert(fc.property(any.client, any.client, (a, b) => holds(clientTable, a, b)));
  });

  it('of an API key is no more than the first, and the same when the second counts twice', () => {
    fc.assert(fc.property(any.apiKey, any.apiKey, (a, b) => holds(apiKeyTable, a, b)));
  });
});
