import { remember } from '../../core/bounded-map.ts';
import type { AuditedChange } from '../../core/restore/replay.ts';
import type { ChangeShelf } from '../../core/restore/restore-items.ts';

/** A shelf that keeps each change as JSON, as a file does. */
export function createMemoryShelf(): ChangeShelf {
  const texts = new Map<string, string[]>();
  return {
    put(owner, change) {
      remember(texts, owner, () => []).push(JSON.stringify(change));
    },
    take: (owner) => (texts.get(owner) ?? []).map((text) => JSON.parse(text) as AuditedChange),
  };
}
