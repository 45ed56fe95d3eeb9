import { wireNameOf } from '../../contract/management/fields.ts';
import { readChangeId } from '../audit/audit-change.ts';
import type { AuditRecord } from '../audit/audit-log.ts';
import { labelsOf } from '../narrowing/narrow.ts';
import { apiKeyTable, clientTable } from '../narrowing/tables.ts';
import type { Stop } from '../stops.ts';

/** A stored item, reduced by the changes that were made since it was stored. */
export interface Replayed<T> {
  readonly item: T;
  /** What the item may no longer do, as text for the operator. */
  readonly narrowed: readonly string[];
  /** What the operator must decide: a change that would grant access is never made here. */
  readonly lookAt: readonly string[];
}

/** How an item is restored. */
export interface ReplayOptions {
  /** Whether it comes back although this change deleted it. */
  readonly undelete?: (deletion: AuditedChange) => boolean;
  /** What stops an item of which nothing would be left. */
  readonly stop: Stop;
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
  /** The last certain state of the item, and as the audit has it. */
  readonly last: V | undefined;
  readonly lastView: Readonly<Record<string, unknown>> | undefined;
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
  const { view: last, change } = later.findLast((one) => one.change.isCertain) ?? {};
  const uncertain = later
    .filter(
      ({ change: { isCertain }, view }) => !isCertain && view.version > (last?.version ?? version),
    )
    .map(({ view }) => view);
  const bounds = [...(last === undefined ? [] : [last]), ...uncertain];
  return { last, lastView: change?.after, bounds, since: later };
}

/** Fields of views that a restore does not speak of. */
const silent = new Set([
  ...[clientTable, apiKeyTable].flatMap(labelsOf).map(wireNameOf),
  'stops',
  'version',
  'updated_at',
  'last_used_on',
  'status',
]);

type View = Readonly<Record<string, unknown>>;

function show(value: unknown): string {
  if (value === undefined || value === '') return 'none';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.values(value).map(show);
  return parts.join(Array.isArray(value) ? ', ' : ' ') || 'none';
}

/** What differs in two views of an item: each field, with its value in the first and in the second. */
function compareViews(a: View, b: View): readonly (readonly [string, string, string])[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((name) => !silent.has(name) && show(a[name]) !== show(b[name]))
    .map((name) => [name, show(a[name]), show(b[name])]);
}

/**
 * What an item may no longer do, and what a change gave it that it does not have now.
 *
 * @param last the last certain state, as the audit has it.
 */
export function describeReplay(stored: View, item: View, last: View | undefined) {
  return {
    narrowed: compareViews(stored, item).map(([name, then, now]) => `${name}: ${now}, not ${then}`),
    lookAt: compareViews(last ?? item, item)
      .filter(([name, then]) => then !== show(stored[name]))
      .map(([name, then, now]) => `${name}: ${now}, not ${then}; repeat the change if it is meant`),
  };
}

/** A change of the audit that was made, or may have been. */
export interface AuditedChange
  extends Pick<AuditRecord, 'time' | 'actor' | 'action' | 'subject' | 'before' | 'after'> {
  /** False if there is only an intent: it is not known whether the change was made. */
  readonly isCertain: boolean;
}

function toChange({ outcome, ...record }: AuditRecord): AuditedChange {
  const { time, actor, action, subject, before, after } = record;
  return { time, actor, action, subject, before, after, isCertain: outcome === 'done' };
}

/** Pairs the intents and the outcomes of changes. It holds only changes that have no outcome yet. */
export class ChangePairs {
  readonly #open = new Map<string, AuditRecord>();

  /** @returns the change, when its outcome is known. A failed one is left out: it was never made. */
  add(record: AuditRecord): AuditedChange | undefined {
    const id = readChangeId(record.recordId);
    if (record.outcome === 'intended') this.#open.set(id, record);
    else this.#open.delete(id);
    return record.outcome === 'done' ? toChange(record) : undefined;
  }

  /** Changes of which it is not known whether they were made. */
  get unfinished(): readonly AuditedChange[] {
    return [...this.#open.values()].map(toChange);
  }
}

/** The changes that records describe, of each region in the order of their times. */
export function findChanges(records: Iterable<AuditRecord>): readonly AuditedChange[] {
  const pairs = new ChangePairs();
  const done = [...records].flatMap((record) => pairs.add(record) ?? []);
  return [...done, ...pairs.unfinished].sort(byTime);
}

export function byTime(a: Pick<AuditedChange, 'time'>, b: Pick<AuditedChange, 'time'>): number {
  return a.time < b.time ? -1 : 1;
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
