import { readChangeId } from '../audit/audit-change.ts';
import type { AuditRecord } from '../audit/audit-log.ts';

/** A stored item, reduced by the changes that were made since it was stored. */
export interface Replayed<T> {
  readonly item: T;
  /** What the item may no longer do, as text for the operator. */
  readonly narrowed: readonly string[];
  /** What the operator must decide: a change that would grant access is never made here. */
  readonly lookAt: readonly string[];
}

/** An item from which nothing was taken since. */
export function asStored<T>(item: T): Replayed<T> {
  return { item, narrowed: [], lookAt: [] };
}

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
  /** Every state, certain or not. What ended in one of them has ended. */
  readonly since: readonly LaterState<V>[];
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
  return { last, bounds: [...(last === undefined ? [] : [last]), ...uncertain], since: later };
}

/** What an item could do at last and cannot now. */
export function sayWider(texts: readonly string[]): readonly string[] {
  return texts.map((text) => `${text} after a change since; repeat the change if it is meant`);
}

/** A change of the audit that was made, or may have been. */
export interface AuditedChange
  extends Pick<AuditRecord, 'time' | 'actor' | 'action' | 'subject' | 'before' | 'after'> {
  /** False if there is only an intent: it is not known whether the change was made. */
  readonly isCertain: boolean;
}

/** What one record adds to the knowledge about its change. */
function pairRecords(records: Iterable<AuditRecord>): ReadonlyMap<string, readonly AuditRecord[]> {
  const pairs = new Map<string, AuditRecord[]>();
  for (const record of records) {
    const id = readChangeId(record.recordId);
    pairs.set(id, [...(pairs.get(id) ?? []), record]);
  }
  return pairs;
}

/**
 * The changes that the records of all regions describe, in the order of their times. A record that
 * was read twice counts once. A failed change is left out, because it was never made.
 */
export function findChanges(records: Iterable<AuditRecord>): readonly AuditedChange[] {
  return [...pairRecords(records).values()]
    .flatMap((pair) => {
      const record = pair.find(({ outcome }) => outcome !== 'intended') ?? pair[0];
      if (record === undefined || record.outcome === 'failed') return [];
      const { time, actor, action, subject, before, after } = record;
      return [
        { time, actor, action, subject, before, after, isCertain: record.outcome === 'done' },
      ];
    })
    .sort((a, b) => (a.time < b.time ? -1 : 1));
}

/** The changes of an item itself, whose actions begin with one of the nouns. */
export function selectOwnChanges(
  changes: readonly AuditedChange[],
  nouns: readonly string[],
  id: string,
): readonly AuditedChange[] {
  return changes.filter(
    ({ action, subject }) => subject === id && nouns.includes(action.split('.')[0] ?? ''),
  );
}

/** Whose secret a change is about, as far as the record says. */
export function readClientId({ before, after }: AuditedChange): unknown {
  return (after ?? before)?.['client_id'];
}

/** For a reason that a person reads: `deleted at 2026-11-20T12:00:00.000Z by arn:…`. */
export function describeChange(verb: string, { time, actor, isCertain }: AuditedChange): string {
  return `${isCertain ? '' : 'perhaps '}${verb} at ${time} by ${actor}${
    isCertain ? '' : ', an intent without outcome'
  }`;
}
