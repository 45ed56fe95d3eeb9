import { DroppedItem, type Replayed } from '../../core/restore/replay.ts';

/** What a replay returns, or why it drops the item. */
export function replaying<Args extends readonly unknown[], T>(
  replay: (...args: Args) => Replayed<T>,
) {
  return (...args: Args) => {
    try {
      return { outcome: 'kept', ...replay(...args) } as const;
    } catch (error) {
      if (!(error instanceof DroppedItem)) throw error;
      return { outcome: 'dropped', reason: error.message } as const;
    }
  };
}
