import type * as v from 'valibot';
import type { auditedChange } from '../../contract/management/results.ts';
import type { Clock } from '../time.ts';
import type { AuditLog, AuditRecord } from './audit-log.ts';

/** A change as the audit describes it. `before` and `after` are views, which hold no secret. */
export type Change = Pick<AuditRecord, 'action' | 'subject' | 'before' | 'after'>;

/** How the two records of one change are written. */
export interface ChangeAudit {
  readonly log: AuditLog;
  readonly changeId: string;
  readonly actor: string;
  readonly clock: Clock;
  /** Whether a change that ended with this error may have been made. */
  readonly isUncertain: (error: unknown) => boolean;
  /** Runs when an outcome could not be written. The intent stays in the audit. */
  readonly onGap: (record: AuditRecord, cause: unknown) => void;
}

/**
 * Makes a change between two audit records: the intent, without which nothing is changed, and the
 * outcome. An intent without outcome means that the change may have been made; `failed` means that
 * it was not.
 */
export async function auditChange(
  audit: ChangeAudit,
  change: Change,
  apply: () => Promise<void>,
): Promise<void> {
  const { changeId, actor, clock } = audit;
  const record = (outcome: AuditRecord['outcome']): AuditRecord => ({
    time: new Date(clock()).toISOString(),
    recordId: formatRecordId(changeId, outcome),
    actor,
    outcome,
    ...change,
  });
  await audit.log.appendAudit(record('intended'));
  try {
    await apply();
  } catch (error) {
    if (!audit.isUncertain(error)) await appendOutcome(audit, record('failed'));
    throw error;
  }
  await appendOutcome(audit, record('done'));
}

async function appendOutcome({ log, onGap }: ChangeAudit, record: AuditRecord): Promise<void> {
  try {
    await log.appendAudit(record);
  } catch (cause) {
    onGap(record, cause);
  }
}

/** A change: its outcome, or its intent if it has none. */
export type AuditedChange = v.InferOutput<typeof auditedChange>;

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

/**
 * Id of a record about a change: `{change}-1-intended`, then `{change}-2-done` or `-2-failed`. The
 * number keeps the two in order if the clock gives both the same time.
 */
function formatRecordId(changeId: string, outcome: AuditRecord['outcome']): string {
  return `${changeId}-${outcome === 'intended' ? 1 : 2}-${outcome}`;
}

/** The change that a record belongs to. All records of one change have the same value. */
export function readChangeId(recordId: string): string {
  return recordId.replace(/-[12]-[a-z]+$/, '');
}
