import { describe, expect, it, vi } from 'vitest';
import { BoundedMap, memoize, WeighedMap } from '../../core/bounded-map.ts';

it('removes the entry that was set first, and no other', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2);
  expect([...map]).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  map.set('c', 3);
  expect([...map.keys()]).toEqual(['b', 'c']);
});

it('takes an entry that is set again for the newest, and removes nothing for it', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3);
  expect([...map.values()]).toEqual([2, 3]);
  map.set('c', 4);
  expect([...map.keys()]).toEqual(['a', 'c']);
});

it('keeps what was used last within a weight', () => {
  const map = new WeighedMap<string, number>(10, (value) => value);
  map.set('a', 4);
  map.set('b', 4);
  expect(map.get('a')).toBe(4);
  map.set('c', 4);
  expect([map.get('a'), map.get('b')]).toEqual([4, undefined]);
  map.set('d', 4);
  expect([map.get('d'), map.get('c'), map.get('a')]).toEqual([4, undefined, 4]);
  map.set('a', 7);
  expect([map.get('a'), map.get('d'), map.size, map.weight]).toEqual([7, undefined, 1, 7]);
  map.set('d', 11);
  expect([map.size, map.weight]).toEqual([0, 0]);
});

describe('what is made once of each object', () => {
  const make = (item: object) => ({ text: JSON.stringify(item) });

  it('is given again for the same object', () => {
    const spy = vi.fn(make);
    const read = memoize(spy);
    const item = { name: 'x' };
    expect(read(item)).toBe(read(item));
    expect(spy).toHaveBeenCalledTimes(1);
  });

  it('is made again for another object, also one with the same content', () => {
    const read = memoize(make);
    const first = read({ name: 'x' });
    expect(read({ name: 'x' })).not.toBe(first);
    expect(read({ name: 'y' })).toEqual(make({ name: 'y' }));
  });

  it('is nothing if it cannot be made', () => {
    const read = memoize((): object => {
      throw new Error('malformed');
    });
    const item = {};
    expect(() => read(item)).toThrow('malformed');
    expect(() => read(item)).toThrow('malformed');
  });
});
