import { type AuditedChange, describeChange } from './audited-changes.ts';

/** What is left of a stored item after the changes that were made since it was stored. */
export type Replayed<T> =
  | {
      readonly outcome: 'kept';
      readonly item: T;
      /** What the item may no longer do, for a person. */
      readonly narrowed: readonly string[];
      /** What a person has to decide: a change that would widen access is never made here. */
      readonly lookAt: readonly string[];
    }
  | { readonly outcome: 'dropped'; readonly reason: string };

/** What the audit says that an item was after a change. */
export interface LaterState<V> {
  readonly change: AuditedChange;
  readonly view: V;
}

/** An item's history in the audit, after what the item itself holds. */
export interface LaterHistory<V> {
  /** What the item certainly was at last. */
  readonly last: V | undefined;
  /** What it must not exceed: the last certain state, and each later one that may have been. */
  readonly bounds: readonly V[];
}

/** A reason to drop an item, thrown because it ends every further question about it. */
export class DroppedItem extends Error {
  override readonly name = 'DroppedItem';
}

/** Drops what a change deleted. */
export function dropDeleted(change: AuditedChange): never {
  throw new DroppedItem(describeChange('deleted', change));
}

/** Drops what a record is about that says too little: what it revoked cannot be known. */
export function dropUnreadable(change: AuditedChange): never {
  throw new DroppedItem(
    `the audit record ${change.action} of ${change.time} cannot be understood, so that what it revoked is not known`,
  );
}

/**
 * Finds what an item was after the version that is at hand. Versions grow by one with each change
 * and a conditional write makes each once, so that they order changes although they were made in
 * different regions, by different clocks.
 */
export function laterHistory<V extends { readonly version: number }>(
  states: readonly LaterState<V>[],
  version: number,
): LaterHistory<V> {
  const later = states
    .filter(({ view }) => view.version > version)
    .toSorted((a, b) => a.view.version - b.view.version);
  const last = later.findLast(({ change }) => change.isCertain)?.view;
  const uncertain = later
    .filter(({ change, view }) => !change.isCertain && view.version > (last?.version ?? version))
    .map(({ view }) => view);
  return { last, bounds: [...(last === undefined ? [] : [last]), ...uncertain] };
}

/** Runs a replay, of which {@link DroppedItem} is one result. */
export function replaying<T>(replay: () => Replayed<T>): Replayed<T> {
  try {
    return replay();
  } catch (error) {
    if (error instanceof DroppedItem) return { outcome: 'dropped', reason: error.message };
    throw error;
  }
}
