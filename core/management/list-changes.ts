import { historyDays, maxListedItems, secondsPerDay } from '../../contract/bounds.ts';
import { isClientId } from '../../contract/client-id.ts';
import type { OperationInput, OperationResult } from '../../contract/management/operations.ts';
import type { RegionId } from '../../contract/regions.ts';
import { type AuditedChange, pairRecords } from '../audit/audit-change.ts';
import { type AuditRecord, describeAction } from '../audit/audit-log.ts';
import { isId } from '../credential/credential-value.ts';
import { UnavailableError } from '../errors.ts';
import { formatDay, isDay } from '../time.ts';
import { formatChangesCursor, parseChangesCursor } from './list-query.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { withActorNames } from './person-names.ts';

/** A time, and the id of a record. */
const positionPattern = /^\d{4}-\d\d-\d\dT[\d:.]{8,16}Z#[\w-]{1,256}$/;

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
  filter: OperationInput<'listAudit', 'filter'> = {},
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

export type HistoryFilter = OperationInput<'listHistory', 'filter'>;

export type HistoryPage = OperationResult<'listHistory'>;

/** A change, and the region whose audit has it. */
export type HistoricChange = HistoryPage['items'][number];

/** Days of one page, which are read at the same time in each region, one read or more for each. */
const daysPerPage = 16;

function otherDay(day: string, days: number): string {
  return formatDay(Math.floor(Date.parse(day) / 1000) + days * secondsPerDay);
}

async function findCreation(
  { clients, apiKeys }: ManagementContext,
  id: string,
): Promise<number | undefined> {
  if (isClientId(id)) return (await clients.find(id))?.createdAt;
  if (isId('apiKey', id)) return (await apiKeys.find(id))?.createdAt;
  return undefined;
}

async function findFirstDay(context: ManagementContext, id: string): Promise<string> {
  const oldest = currentTime(context) - historyDays * secondsPerDay;
  return formatDay((await findCreation(context, id)) ?? oldest);
}

/** What was read of one region: its records, or why not. */
type RegionRead = { readonly region: RegionId } & (
  | { readonly records: readonly AuditRecord[] }
  | { readonly error: UnavailableError }
);

/** A region is read whole or not at all, so that no one takes a part for the whole. */
async function readRegion(
  { auditHistory }: ManagementContext,
  region: RegionId,
  days: readonly string[],
  id: string,
): Promise<RegionRead> {
  try {
    const read = days.map((day) => auditHistory.readHistory(region, day, id));
    return { region, records: (await Promise.all(read)).flat() };
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    return { region, error };
  }
}

/**
 * One page of the changes of something and of what belongs to it, such as a client and its secrets,
 * over days, from the audits of all regions. The newest come first. A region that does not answer is
 * named.
 *
 * @param id of a client, a secret or an API key, or the issuer of a provider. It may be deleted.
 * @throws {UnavailableError} if no region answers.
 */
export async function listHistory(
  context: ManagementContext,
  id: string,
  filter: HistoryFilter = {},
): Promise<HistoryPage> {
  const { since = await findFirstDay(context, id), cursor } = filter;
  const today = formatDay(currentTime(context));
  const position = cursor === undefined ? undefined : parseChangesCursor(cursor, isDay);
  const until = position?.after ?? today;
  const days = Array.from({ length: daysPerPage }, (_, index) => otherDay(until, -index));
  const daysInRange = days.filter((day) => day >= since);
  const next = otherDay(until, -daysInRange.length);
  const { regions } = context.auditHistory;
  const reads = await Promise.all(
    regions.map(async (region) => readRegion(context, region, daysInRange, id)),
  );
  const unread = reads.filter((read) => 'error' in read);
  if (unread[0] !== undefined && unread.length === reads.length) throw unread[0].error;
  const open = new Set(position?.open);
  const changes = reads
    .flatMap(({ region, ...read }) =>
      'error' in read ? [] : pairRecords(read.records, open).map((one) => ({ ...one, region })),
    )
    .toSorted((one, other) => Date.parse(other.time) - Date.parse(one.time));
  return {
    since: otherDay(next, 1),
    until,
    items: await withActorNames(context, changes),
    unread: unread
      .map(({ region, error }) => ({ region, reason: error.message }))
      .toSorted((one, other) => (one.region < other.region ? -1 : 1)),
    nextCursor: next < since ? undefined : formatChangesCursor({ after: next, open }),
  };
}
