import { maxListedItems } from '../../contract/limits.ts';
import { describeAction } from '../audit/action-words.ts';
import type { AuditRecord } from '../audit/audit-log.ts';
import { readChangeId } from '../audit/record-id.ts';
import { formatDay, isDay } from '../rfc3339.ts';
import { formatCursor, parseCursor } from './list-query.ts';
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

/** Maximum number of changes in progress at the same moment. A valid cursor never has more. */
const maxOpen = 20;

function formatPosition(after: string, open: ReadonlySet<string>): string {
  return formatCursor(JSON.stringify([after, ...[...open].slice(0, maxOpen)]));
}

function parsePosition(value: unknown): Position {
  const refuse = () => refuseInput('cursor', value, 'the nextCursor of a page');
  try {
    const [after, ...open] = JSON.parse(parseCursor(value)) as readonly unknown[];
    if (typeof after !== 'string' || !open.every((id) => typeof id === 'string')) return refuse();
    return { after, open: new Set(open) };
  } catch {
    return refuse();
  }
}

function readDay(value: unknown, now: number): string {
  const help = 'a UTC day, e.g. 2026-11-20';
  const day = optional(value, (given) => readText('day', given, help)) ?? formatDay(now);
  return isDay(day) ? day : refuseInput('day', value, help);
}

/**
 * Lists each change once. The newest record is first, so an outcome comes before its intent. An
 * outcome counts without its intent, which may be in the audit of the day before.
 *
 * @param open changes whose intents are still to come; those that remain are left in it.
 */
function pairRecords(records: readonly AuditRecord[], open: Set<string>): readonly AuditedChange[] {
  return records.flatMap(({ recordId, outcome, ...record }): readonly AuditedChange[] => {
    const changeId = readChangeId(recordId);
    if (outcome === 'intended') {
      return open.delete(changeId) ? [] : [{ changeId, ...record, outcome: 'unfinished' }];
    }
    open.add(changeId);
    return [{ changeId, ...record, outcome }];
  });
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
  const day = readDay(given.day, currentTime(context));
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
