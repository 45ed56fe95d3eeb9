import type * as v from 'valibot';
import { maxListedItems } from '../../contract/limits.ts';
import type { auditFilter } from '../../contract/management/inputs.ts';
import type { OperationResult } from '../../contract/management/operations.ts';
import { type AuditedChange, pairRecords } from '../audit/audit-change.ts';
import { describeAction } from '../audit/audit-log.ts';
import { formatDay } from '../rfc3339.ts';
import { formatChangesCursor, parseChangesCursor } from './list-query.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { withActorNames } from './person-names.ts';

/** A time, and the id of a record or the end of those of that time. */
const positionPattern = /^\d{4}-\d\d-\d\dT[\d:.]{8,16}Z(?:\$|#[\w-]{1,256})$/;

/** What a reader sees of a change: its action in words too, and the name and client of a record. */
function textsOf({ actor, action, subject, before, after }: AuditedChange): readonly unknown[] {
  const record = after ?? before ?? {};
  return [actor, action, describeAction(action), subject, record['name'], record['client_id']];
}

function hasText(change: AuditedChange, text: string): boolean {
  return textsOf(change).some(
    (value) => typeof value === 'string' && value.toLowerCase().includes(text),
  );
}

export async function listAudit(
  context: ManagementContext,
  filter: v.InferOutput<typeof auditFilter> = {},
): Promise<OperationResult<'listAudit'>> {
  const { day = formatDay(currentTime(context)), text = '', limit = maxListedItems } = filter;
  const { cursor } = filter;
  const isPosition = (after: string) => positionPattern.test(after);
  const position = cursor === undefined ? undefined : parseChangesCursor(cursor, isPosition);
  const open = new Set(position?.open);
  const page = await context.auditPages.readAudit({ day, limit, after: position?.after });
  const changes = pairRecords(page.items, open);
  const searched = text.toLowerCase();
  const found = searched === '' ? changes : changes.filter((change) => hasText(change, searched));
  return {
    day,
    items: await withActorNames(context, found),
    examined: page.examined,
    nextCursor: page.next && formatChangesCursor({ after: page.next, open }),
  };
}
