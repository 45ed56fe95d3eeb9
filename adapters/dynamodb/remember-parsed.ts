import { BoundedMap } from '../../core/bounded-map.ts';
import type { Item } from './item.ts';

interface Remembered<T> {
  /** The item as it was parsed. */
  readonly text: string;
  readonly value: T;
}

/**
 * Parses an item again only if it differs from the one last read under its key. Each item is still
 * read from DynamoDB each time. Only the parsing is saved: for a client with many secrets, it costs
 * more CPU time than the rest of a token request. Items are compared as JSON, in which a set is an
 * empty map: the AWS JSON client reads no sets.
 *
 * @param maxItems in the cache. When it is reached, the oldest is removed.
 */
export function rememberParsed<T>(
  parse: (item: Item) => T,
  maxItems: number,
): (key: string, item: Item) => T {
  const known = new BoundedMap<string, Remembered<T>>(maxItems);
  return (key, item) => {
    const text = JSON.stringify(item);
    const before = known.get(key);
    if (before?.text === text) return before.value;
    const value = parse(item);
    known.set(key, { text, value });
    return value;
  };
}
