import { remember } from '../../../core/bounded-map.ts';
import type { Item } from './item.ts';

/**
 * Parses an item once. The AWS JSON client gives the same object as long as an item does not change;
 * other clients give a new one each time, which is parsed.
 */
export function rememberParsed<T extends object>(parse: (item: Item) => T): (item: Item) => T {
  const known = new WeakMap<Item, T>();
  return (item) => remember(known, item, parse);
}
