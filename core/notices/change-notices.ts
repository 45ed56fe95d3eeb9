import { isJsonObject } from '../../contract/json-object.ts';
import { secondsPerDay } from '../../contract/limits.ts';
import { maxChangeDays } from '../../contract/notices.ts';
import type { RegionId } from '../../contract/regions.ts';
import { readChangeId } from '../audit/audit-change.ts';
import type { AuditRecord, ChangeReader } from '../audit/audit-log.ts';
import { UnavailableError } from '../errors.ts';
import { formatDay, formatMilliseconds } from '../rfc3339.ts';
import { type Notice, noticeId, type PutNotices } from './notice.ts';

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

/**
 * Milliseconds after which an intent without an outcome will get none: no change takes as long.
 * Changes are told when they are older than this.
 */
const unfinishedAfter = 15 * 60_000;

/** What differs with every change. */
const uninteresting: ReadonlySet<string> = new Set(['version', 'client_version', 'updated_at']);

/** A value as text that does not depend on the order of members, which DynamoDB does not keep. */
function toText(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function findChanged({ before, after }: AuditRecord): readonly string[] | undefined {
  if (before === undefined || after === undefined) return undefined;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !uninteresting.has(name) && toText(before[name]) !== toText(after[name]))
    .toSorted();
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The trunk groups that a change concerns, before or after it; none: all of them. */
function groupsOf({ before = {}, after = {} }: AuditRecord): readonly string[] {
  // The owners of a provider.
  const owners = [before, after].flatMap(({ service_trunk_groups: groups }) => groups ?? []);
  const one = textOf(after['service_trunk_group']) ?? textOf(before['service_trunk_group']);
  const groups = one === undefined ? owners.flatMap((group) => textOf(group) ?? []) : [one];
  return [...new Set(groups)].toSorted();
}

/** Where changes come from. */
interface ChangeSource {
  readonly deployment: string;
  readonly region: RegionId;
}

/** A notice of a change. What it holds are names and ids: values stay in the audit. */
function toNotice(
  { deployment, region }: ChangeSource,
  record: AuditRecord,
  outcome: 'done' | 'unfinished',
): Notice<'change'> {
  const changeId = readChangeId(record.recordId);
  const state = record.after ?? record.before ?? {};
  const groups = groupsOf(record);
  const [group] = groups;
  const name = textOf(state['name']);
  const clientId = textOf(state['client_id']);
  const changed = findChanged(record);
  return {
    kind: 'change',
    detail: {
      version: 1,
      notice_id: noticeId(deployment, 'change', region, changeId, outcome),
      deployment,
      ...(groups.length === 1 && { service_trunk_group: group }),
      ...(groups.length > 1 && { service_trunk_groups: [...groups] }),
      change_id: changeId,
      region,
      action: record.action,
      subject: record.subject,
      ...(name !== undefined && { name }),
      ...(clientId !== undefined && { client_id: clientId }),
      actor: record.actor,
      outcome,
      changed_at: record.time,
      ...(changed !== undefined && { changed: [...changed] }),
    },
  };
}

/** Milliseconds since the epoch of a record's time. */
function timeOf({ time }: AuditRecord): number {
  return Date.parse(time);
}

/**
 * Makes notices of one region's audit, whose records it takes in the order of their times. A change
 * that failed has none.
 */
export class ChangeNotices {
  readonly #source: ChangeSource;
  readonly #until: number;
  /** Intents whose outcomes are still to come, by change. */
  readonly #open = new Map<string, AuditRecord>();
  #seen: number;

  /** @param range milliseconds since the epoch; later changes are of the next run. */
  constructor(source: ChangeSource, range: { readonly since: number; readonly until: number }) {
    this.#source = source;
    this.#until = range.until;
    this.#seen = range.since;
  }

  /** Takes the next records. */
  take(records: readonly AuditRecord[]): readonly Notice<'change'>[] {
    return records.flatMap((record) => {
      this.#seen = timeOf(record);
      const changeId = readChangeId(record.recordId);
      const abandoned = this.#takeAbandoned();
      if (record.outcome !== 'intended') this.#open.delete(changeId);
      if (this.#seen > this.#until || record.outcome === 'failed') return abandoned;
      if (record.outcome === 'done') return [...abandoned, toNotice(this.#source, record, 'done')];
      this.#open.set(changeId, record);
      return abandoned;
    });
  }

  /** Hears that there are no more records up to a time, in milliseconds since the epoch. */
  advance(milliseconds: number): readonly Notice<'change'>[] {
    this.#seen = Math.max(this.#seen, milliseconds);
    return this.#takeAbandoned();
  }

  /** Up to when every change is told, in milliseconds since the epoch. */
  get told(): number {
    const open = [...this.#open.values()].map(timeOf);
    return Math.min(this.#until, this.#seen, ...open);
  }

  #takeAbandoned(): readonly Notice<'change'>[] {
    const abandoned = [...this.#open].filter(
      ([, record]) => timeOf(record) + unfinishedAfter <= this.#seen,
    );
    return abandoned.map(([changeId, record]) => {
      this.#open.delete(changeId);
      return toNotice(this.#source, record, 'unfinished');
    });
  }
}
