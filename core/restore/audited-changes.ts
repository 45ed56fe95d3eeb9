import type { AuditRecord } from '../audit/audit-log.ts';
import { readChangeId } from '../audit/record-id.ts';

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
