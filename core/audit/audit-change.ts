import type { Clock } from '../clock.ts';
import type { AuditLog, AuditRecord } from './audit-log.ts';
import { formatRecordId } from './record-id.ts';

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
