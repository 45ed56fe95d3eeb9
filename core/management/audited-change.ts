import type { AuditRecord } from '../audit/audit-log.ts';
import { formatRecordId } from '../audit/record-id.ts';
import { encodeBase62 } from '../credential/base62.ts';
import { idBytes } from '../credential/credential-value.ts';
import { UnavailableError, UncertainConflictError } from '../errors.ts';
import type { ManagementContext } from './management-context.ts';

/** A change as the audit tells it. `before` and `after` are views, which hold no secret. */
export type Change = Pick<AuditRecord, 'action' | 'subject' | 'before' | 'after'>;

async function appendOutcome(context: ManagementContext, record: AuditRecord): Promise<void> {
  try {
    await context.audit.appendAudit(record);
  } catch (cause) {
    // The change stands whatever the log does now; its intent says what to look at.
    context.onAuditGap?.(record, cause);
  }
}

/**
 * Makes a change between two audit records: the intent, without which nothing is changed, and the
 * outcome. An intent without outcome means that the change may have been made; `failed` means that
 * it was not.
 */
export async function makeAuditedChange(
  context: ManagementContext,
  change: Change,
  apply: () => Promise<void>,
): Promise<void> {
  const changeId = encodeBase62(context.drawBytes(idBytes));
  const actor = await context.actor();
  const record = (outcome: AuditRecord['outcome']): AuditRecord => ({
    time: new Date(context.clock()).toISOString(),
    recordId: formatRecordId(changeId, outcome),
    actor,
    outcome,
    ...change,
  });
  await context.audit.appendAudit(record('intended'));
  try {
    await apply();
  } catch (error) {
    // What may have been made all the same keeps its intent without outcome.
    const isUncertain =
      error instanceof UnavailableError || error instanceof UncertainConflictError;
    if (!isUncertain) await appendOutcome(context, record('failed'));
    throw error;
  }
  await appendOutcome(context, record('done'));
}
