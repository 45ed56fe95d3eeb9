import { ConflictError } from '../../core/errors.ts';
import type { StoredKind } from '../../core/restore/restore-items.ts';

/** Items of an earlier time, next to a live table in memory. */
export function storedKind<T>(
  stored: () => Iterable<T>,
  live: Map<string, T>,
  keyOf: (item: T) => string,
  keyOfId = (id: string) => id,
): StoredKind<T> {
  return {
    list: async function* list() {
      for (const item of stored()) yield structuredClone(item);
    },
    find: async (id) => structuredClone(live.get(keyOfId(id))),
    create: async (item) => {
      if (live.has(keyOf(item))) throw new ConflictError('exists');
      live.set(keyOf(item), structuredClone(item));
    },
  };
}
