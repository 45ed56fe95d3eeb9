import type * as v from 'valibot';
import { historyDays, secondsPerDay } from '../../contract/limits.ts';
import type { historyFilter } from '../../contract/management/inputs.ts';
import type { OperationResult } from '../../contract/management/operations.ts';
import type { RegionId } from '../../contract/regions.ts';
import { pairRecords } from '../audit/audit-change.ts';
import type { AuditRecord } from '../audit/audit-log.ts';
import { isId } from '../credential/credential-value.ts';
import { UnavailableError } from '../errors.ts';
import { formatDay, isDay } from '../rfc3339.ts';
import { formatChangesCursor, parseChangesCursor } from './list-query.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { withActorNames } from './person-names.ts';

export type HistoryFilter = v.InferOutput<typeof historyFilter>;

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
  if (isId('client', id)) return (await clients.find(id))?.createdAt;
  if (isId('apiKey', id)) return (await apiKeys.find(id))?.createdAt;
  return undefined;
}

async function findFirstDay(context: ManagementContext, id: string): Promise<string> {
  const oldest = currentTime(context) - historyDays * secondsPerDay;
  return formatDay((await findCreation(context, id)) ?? oldest);
}

/** What was read of one region: its records, or why not. */
type RegionRead =
  | { readonly records: readonly AuditRecord[] }
  | { readonly error: UnavailableError };

async function readRegion(
  { auditHistory }: ManagementContext,
  region: RegionId,
  days: readonly string[],
  id: string,
): Promise<RegionRead> {
  try {
    const read = days.map((day) => auditHistory.readHistory(region, day, id));
    return { records: (await Promise.all(read)).flat() };
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    return { error };
  }
}

/** Reads days, the newest first, of every region that answers. */
class HistoryReader {
  readonly records = new Map<RegionId, AuditRecord[]>();
  readonly unread: HistoryPage['unread'][number][] = [];
  /** Why the first of them was not read. */
  failure: UnavailableError | undefined;
  readonly #context: ManagementContext;

  constructor(context: ManagementContext) {
    this.#context = context;
    for (const region of context.auditHistory.regions) this.records.set(region, []);
  }

  async read(days: readonly string[], id: string): Promise<void> {
    const reads = [...this.records].map(async ([region, records]) => {
      const read = await readRegion(this.#context, region, days, id);
      if ('records' in read) records.push(...read.records);
      else this.#giveUp(region, read.error);
    });
    await Promise.all(reads);
  }

  /** A region is read whole or not at all, so that no one takes a part for the whole. */
  #giveUp(region: RegionId, error: UnavailableError): void {
    this.records.delete(region);
    this.unread.push({ region, reason: error.message });
    this.failure ??= error;
  }

  /** @param open see {@link pairRecords}. */
  changes(open: Set<string>): readonly HistoricChange[] {
    return [...this.records]
      .flatMap(([region, records]) =>
        pairRecords(records, open).map((change) => ({ ...change, region })),
      )
      .toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time));
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
  const reader = new HistoryReader(context);
  const days = Array.from({ length: daysPerPage }, (_, index) => otherDay(until, -index));
  const daysInRange = days.filter((day) => day >= since);
  await reader.read(daysInRange, id);
  const next = otherDay(until, -daysInRange.length);
  if (reader.records.size === 0 && reader.failure !== undefined) throw reader.failure;
  const open = new Set(position?.open);
  const items = await withActorNames(context, reader.changes(open));
  return {
    since: otherDay(next, 1),
    until,
    items,
    unread: reader.unread.toSorted((a, b) => (a.region < b.region ? -1 : 1)),
    nextCursor: next < since ? undefined : formatChangesCursor({ after: next, open }),
  };
}
