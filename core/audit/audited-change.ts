import type { AuditRecord } from './audit-log.ts';
import { readChangeId } from './record-id.ts';

/** A change: its outcome, or its intent if it has none. */
export interface AuditedChange {
  readonly changeId: string;
  /** When its outcome was recorded, or its intent if it has none: RFC 3339 UTC with milliseconds. */
  readonly time: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** `unfinished`: there is no outcome, so the change may or may not have been made. */
  readonly outcome: 'done' | 'failed' | 'unfinished';
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  readonly after?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Lists each change once. The newest record is first, so an outcome comes before its intent. An
 * outcome counts without its intent, which may be in the audit of the day before.
 *
 * @param open changes whose intents are still to come; those that remain are left in it.
 */
export function pairRecords(
  records: readonly AuditRecord[],
  open: Set<string>,
): readonly AuditedChange[] {
  return records.flatMap(({ recordId, outcome, ...record }): readonly AuditedChange[] => {
    const changeId = readChangeId(recordId);
    if (outcome === 'intended') {
      return open.delete(changeId) ? [] : [{ changeId, ...record, outcome: 'unfinished' }];
    }
    open.add(changeId);
    return [{ changeId, ...record, outcome }];
  });
}
