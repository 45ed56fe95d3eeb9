import type { AuditRecord } from './audit-log.ts';

/**
 * Id of a record about a change: `{change}-1-intended`, then `{change}-2-done` or `-2-failed`. The
 * number keeps the two in order if the clock gives both the same time.
 */
export function formatRecordId(changeId: string, outcome: AuditRecord['outcome']): string {
  return `${changeId}-${outcome === 'intended' ? 1 : 2}-${outcome}`;
}

/** The change that a record belongs to. All records of one change have the same value. */
export function readChangeId(recordId: string): string {
  return recordId.replace(/-[12]-[a-z]+$/, '');
}
