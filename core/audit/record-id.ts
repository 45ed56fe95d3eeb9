import type { AuditRecord } from './audit-log.ts';

/**
 * Id of a record about a change: `{change}-1-intended`, then `{change}-2-done` or `-2-failed`. The
 * number keeps the two in order where the clock gives both the same time.
 */
export function formatRecordId(changeId: string, outcome: AuditRecord['outcome']): string {
  return `${changeId}-${outcome === 'intended' ? 1 : 2}-${outcome}`;
}

/** The change that a record is about; records of one change have it in common. */
export function readChangeId(recordId: string): string {
  return recordId.replace(/-[12]-[a-z]+$/, '');
}
