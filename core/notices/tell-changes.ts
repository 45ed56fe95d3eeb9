import { maxChangeDays } from '../../contract/daily-run.ts';
import { secondsPerDay } from '../../contract/limits.ts';
import type { RegionId } from '../../contract/regions.ts';
import type { AuditRecord, ChangeReader } from '../audit/audit-log.ts';
import { UnavailableError } from '../errors.ts';
import { formatDay, formatMilliseconds } from '../rfc3339.ts';
import { ChangeNotices, unfinishedAfter } from './change-notices.ts';
import type { PutNotices } from './notice.ts';

/** A region whose changes were not all told, because its audit could not be read. */
export interface UnreadRegion {
  readonly region: RegionId;
  readonly reason: string;
}

interface ChangePorts {
  readonly changes: ChangeReader;
  readonly putNotices: PutNotices;
  readonly isOutOfTime: () => boolean;
}

interface ChangeRange {
  readonly deployment: string;
  readonly region: RegionId;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
  /** Runs when every change up to a time is told. */
  readonly onTold: (milliseconds: number) => void;
}

const dayMilliseconds = secondsPerDay * 1000;

/**
 * The changes that a run tells of a region.
 *
 * @param time of the run, in seconds since the epoch.
 * @param told up to when they were told before, RFC 3339; nothing before the first run.
 */
export function rangeOf(time: number, told: string | undefined): { since: number; until: number } {
  const now = time * 1000;
  const since = told === undefined ? now - dayMilliseconds : Date.parse(told);
  return {
    since: Math.max(since, now - maxChangeDays * dayMilliseconds),
    until: now - unfinishedAfter,
  };
}

interface RecordsPage {
  readonly records: readonly AuditRecord[];
  /** Up to when there are no further ones, in milliseconds; undefined if there may be. */
  readonly until: number | undefined;
}

/** Reads one page after another, over days. */
class RegionRecords {
  readonly #reader: ChangeReader;
  readonly #region: RegionId;
  /** In the day that is read. */
  #time: number;
  #after: string | undefined;

  constructor(reader: ChangeReader, region: RegionId, since: number) {
    this.#reader = reader;
    this.#region = region;
    this.#time = since;
    this.#after = formatMilliseconds(since);
  }

  async read(now: number): Promise<RecordsPage> {
    const day = formatDay(this.#time / 1000);
    const { items, next } = await this.#reader.readChanges(this.#region, day, this.#after);
    this.#after = next;
    if (next !== undefined) return { records: items, until: undefined };
    this.#time = Date.parse(day) + dayMilliseconds;
    return { records: items, until: Math.min(this.#time, now) };
  }
}

/**
 * Tells the changes of a region.
 *
 * @returns whether all are told, or the reason if the region's audit cannot be read.
 * @throws {UnavailableError} if EventBridge does not accept the notices.
 */
export async function tellChanges(
  { changes, putNotices, isOutOfTime }: ChangePorts,
  { region, deployment, since, until, onTold }: ChangeRange,
): Promise<boolean | UnreadRegion> {
  const now = until + unfinishedAfter;
  const notices = new ChangeNotices({ deployment, region }, { since, until });
  const reader = new RegionRecords(changes, region, since);
  while (!isOutOfTime()) {
    let page: RecordsPage;
    try {
      page = await reader.read(now);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      return { region, reason: error.message };
    }
    const told = notices.take(page.records);
    await putNotices(page.until === undefined ? told : [...told, ...notices.advance(page.until)]);
    onTold(notices.told);
    if (page.until === now) return true;
  }
  return false;
}
