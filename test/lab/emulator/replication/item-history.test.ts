import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemHistory } from '../../../../lab/emulator/replication/item-history.ts';

describe('an item history', () => {
  it('shows what was there at a time', async () => {
    const history = new ItemHistory();
    history.add('a', { at: 10, region: undefined, before: undefined });
    history.add('a', { at: 20, region: undefined, before: { v: 1 } });
    const now = { v: 2 };
    const seen = (horizon: number) => history.seen('a', { horizon, region: undefined }, now);
    expect([seen(9), seen(10), seen(19), seen(20)]).toEqual([undefined, { v: 1 }, { v: 1 }, now]);
  });

  it("always shows a region its own writes, and with them the others' before them", () => {
    const history = new ItemHistory();
    history.add('a', { at: 10, region: 'dfw', before: undefined });
    history.add('a', { at: 20, region: 'slc', before: { v: 1 } });
    history.add('a', { at: 30, region: 'dfw', before: { v: 2 } });
    const seen = (region: string) => history.seen('a', { horizon: 5, region }, { v: 3 });
    expect([seen('slc'), seen('dfw'), seen('pit')]).toEqual([{ v: 2 }, { v: 3 }, undefined]);
  });

  it('never goes back in time while the horizon goes forward', () => {
    const write = fc.record({ gap: fc.nat(5), region: fc.constantFrom('slc', 'dfw', 'pit') });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 20 }), (writes) => {
        const history = new ItemHistory();
        let at = 0;
        writes.forEach(({ gap, region }, index) => {
          at += gap;
          history.add('a', { at, region, before: { v: index } });
        });
        const now = { v: writes.length };
        const seen = Array.from({ length: at + 2 }, (_, horizon) =>
          Number(history.seen('a', { horizon: horizon - 1, region: 'slc' }, now)?.['v']),
        );
        expect(seen).toEqual(seen.toSorted((a, b) => a - b));
        expect(seen.at(-1)).toBe(writes.length);
      }),
    );
  });

  it('lets one act at a time on an item, and another go on after a failure', async () => {
    const history = new ItemHistory();
    const order: string[] = [];
    const act = (name: string, fail = false) =>
      history.alone('a', async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
        if (fail) throw new Error('failed');
      });
    await Promise.allSettled([act('1', true), act('2'), act('3')]);
    expect(order).toEqual(['1', '2', '3'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });
});
