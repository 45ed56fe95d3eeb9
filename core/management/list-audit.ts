import { maxListedItems } from '../../contract/limits.ts';
import { describeAction } from '../audit/action-words.ts';
import { type AuditedChange, pairRecords } from '../audit/audited-change.ts';
import { formatDay } from '../rfc3339.ts';
import { formatCursor, maxOpenChanges, parseCursor, readDay } from './list-query.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { optional, readFields, readInteger, readText, refuseInput } from './read-input.ts';

/** Filters of the changes of a day. A change must meet all of them. */
export interface AuditFilter {
  /** UTC day, e.g. `2026-11-21`; today if left out. */
  readonly day?: string | undefined;
  /**
   * Text in the actor, the action by its name or in words, the subject, or the record's name or
   * client id, in any case.
   */
  readonly text?: string | undefined;
  /** Most records that are read for the page, 1 to 500; 500 if left out. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface AuditPage {
  readonly day: string;
  /** The newest first. */
  readonly items: readonly AuditedChange[];
  readonly examined: number;
  readonly nextCursor?: string | undefined;
}

/** The end of a page, and the changes on it whose intents are on the next one. */
interface Position {
  readonly after: string;
  readonly open: ReadonlySet<string>;
}

function formatPosition(after: string, open: ReadonlySet<string>): string {
  return formatCursor(JSON.stringify([after, ...[...open].slice(0, maxOpenChanges)]));
}

/** A time, and the id of a record or the end of those of that time. */
const positionPattern = /^\d{4}-\d\d-\d\dT[\d:.]{8,16}Z(?:\$|#[\w-]{1,256})$/;

function parsePosition(value: unknown): Position {
  const refuse = () => refuseInput('cursor', value, 'the nextCursor of a page');
  try {
    const [after, ...open] = JSON.parse(parseCursor(value)) as readonly unknown[];
    if (typeof after !== 'string' || !positionPattern.test(after)) return refuse();
    if (!open.every((id) => typeof id === 'string')) return refuse();
    return { after, open: new Set(open) };
  } catch {
    return refuse();
  }
}

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

/**
 * One page of the changes of a day, the newest first.
 *
 * @throws {InputError} for a filter that is not allowed.
 */
export async function listAudit(
  context: ManagementContext,
  filter: AuditFilter = {},
): Promise<AuditPage> {
  const given = readFields('filter', filter, ['day', 'text', 'limit', 'cursor']);
  const day =
    optional(given.day, (value) => readDay('day', value)) ?? formatDay(currentTime(context));
  const text = optional(given.text, (value) => readText('text', value, 'a text'))?.trim();
  const limit =
    optional(given.limit, (value) => readInteger('limit', value, 1, maxListedItems)) ??
    maxListedItems;
  const position = optional(given.cursor, parsePosition);
  const open = new Set(position?.open);
  const page = await context.auditPages.readAudit({ day, limit, after: position?.after });
  const changes = pairRecords(page.items, open);
  const wanted = text?.toLowerCase() ?? '';
  return {
    day,
    items: wanted === '' ? changes : changes.filter((change) => hasText(change, wanted)),
    examined: page.examined,
    nextCursor: optional(page.next, (after) => formatPosition(String(after), open)),
  };
}
