import { type AuditedChange, describeChange } from './audited-changes.ts';

/** A stored item, reduced by the changes that were made since it was stored. */
export type Replayed<T> =
  | {
      readonly outcome: 'kept';
      readonly item: T;
      /** What the item may no longer do, as text for the operator. */
      readonly narrowed: readonly string[];
      /** What the operator must decide: a change that would grant access is never made here. */
      readonly lookAt: readonly string[];
    }
  | { readonly outcome: 'dropped'; readonly reason: string };

/** The state of an item after a change, as the audit records it. */
export interface LaterState<V> {
  readonly change: AuditedChange;
  readonly view: V;
}

/** An item's history in the audit, after the stored version. */
export interface LaterHistory<V> {
  /** The last certain state of the item. */
  readonly last: V | undefined;
  /** What the item must not exceed: the last certain state, and each later possible one. */
  readonly bounds: readonly V[];
}

/** A reason to drop an item. It is thrown because nothing else about the item matters then. */
export class DroppedItem extends Error {
  override readonly name = 'DroppedItem';
}

/** Drops an item that a change deleted. */
export function dropDeleted(change: AuditedChange): never {
  throw new DroppedItem(describeChange('deleted', change));
}

/** Drops an item if a record about it is incomplete, because its revocation cannot be known. */
export function dropUnreadable(change: AuditedChange): never {
  throw new DroppedItem(
    `the audit record ${change.action} of ${change.time} cannot be understood, so that what it revoked is not known`,
  );
}

/**
 * Finds the states of an item after the stored version. Versions grow by one with each change, and
 * a conditional write makes each version once. They therefore order changes that were made in
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
