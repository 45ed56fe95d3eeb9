import { expect, it } from 'vitest';
import { BoundedMap } from '../../core/bounded-map.ts';

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
