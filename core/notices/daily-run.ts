import { maxListedItems, secondsPerDay } from '../../contract/limits.ts';
import { dailyRunHour, type NoticeKind } from '../../contract/notices.ts';
import type { RegionId } from '../../contract/regions.ts';
import type { ApiKeyStore, ApiKeyUseReader } from '../api-key/api-key-store.ts';
import type { ChangeReader } from '../audit/audit-log.ts';
import type { Client } from '../client/client.ts';
import type { ClientStore } from '../client/client-store.ts';
import { seconds } from '../clock.ts';
import { MalformedRecordError } from '../errors.ts';
import { withUsesOfRotated } from '../management/api-key-uses.ts';
import { checkOutside, type GrantReader } from '../management/grants/outside-clients.ts';
import type { StorePageQuery } from '../paging.ts';
import { formatMilliseconds } from '../rfc3339.ts';
import { rangeOf, tellChanges, type UnreadRegion } from './change-notices.ts';
import {
  type Credential,
  credentialId,
  findCredentialNotices,
  isExpiring,
  keyInUse,
  type RunTimes,
  secretsInUse,
} from './credential-notices.ts';
import {
  type DailyReportStore,
  type DailyState,
  type OpenRun,
  type ReportedCredential,
  type ReportSlot,
  type RunStage,
  runStages,
  type StoredCredentials,
  sortByExpiry,
} from './daily-report.ts';
import type { PutNotices } from './notice.ts';

export interface DailyRunPorts {
  readonly clients: Pick<ClientStore, 'readClients'>;
  readonly apiKeys: Pick<ApiKeyStore, 'readApiKeys'>;
  readonly apiKeyUses?: ApiKeyUseReader | undefined;
  readonly grants: Omit<GrantReader, 'onlyGranted'>;
  readonly reports: DailyReportStore;
  readonly changes: ChangeReader;
  readonly putNotices: PutNotices;
  /** Seconds since the epoch. */
  readonly now: () => number;
  /** A text that no other attempt has. */
  readonly drawNonce: () => string;
  /** Whether there is only time left to save how far the run is. */
  readonly isOutOfTime: () => boolean;
}

/** What an attempt did. */
export interface DailyRunOutcome {
  /**
   * `current`: nothing was due. `complete`: the run has ended. `continues`: time is over, or the
   * audit of a region cannot be read; the next attempt does the rest.
   */
  readonly status: 'current' | 'complete' | 'continues';
  /** Of the run, in seconds since the epoch. */
  readonly time: number;
  /** How many this attempt sent. */
  readonly notices: Readonly<Record<NoticeKind, number>>;
  /** Credentials in the report; so far, if it is not complete. */
  readonly expiring: number;
  /**
   * Clients, in the last report, whose ids at a provider are not granted to their trunk groups. Only
   * providers at which something is granted count.
   */
  readonly outside?: number | undefined;
  readonly unread: readonly UnreadRegion[];
}

/** When the last run became due. */
function findDueTime(now: number): number {
  const hour = dailyRunHour * 3600;
  return Math.floor((now - hour) / secondsPerDay) * secondsPerDay + hour;
}

/**
 * Seconds by which a stored time may be in the future. A later one is from a clock that was wrong:
 * it would silence every run until then.
 */
const futureAllowance = 300;

function isPast(time: number, now: number): boolean {
  return time <= now + futureAllowance;
}

/** Up to when changes are told, without times in the future. */
function pastOnly(changesUntil: DailyState['changesUntil'], now: number) {
  const told = Object.entries(changesUntil);
  return Object.fromEntries(told.filter(([, until]) => isPast(seconds(Date.parse(until)), now)));
}

/** The run that an attempt continues or begins; undefined if none is due. */
function findRun({ report, run }: DailyState, now: number): OpenRun | undefined {
  const due = findDueTime(now);
  // An older one is given up: the new run reads everything that it would have read.
  const isOf = ({ time }: { readonly time: number }) => time >= due && isPast(time, now);
  if (run !== undefined && isOf(run)) return run;
  if (report !== undefined && isOf(report)) return undefined;
  return firstStep(now);
}

function firstStep(time: number): OpenRun {
  return { time, stage: runStages[0], parts: 0 };
}

/** @returns undefined if a part cannot be read. What it would say is then found or told again. */
async function readStored(
  { reports }: Pick<DailyRunPorts, 'reports'>,
  stored: StoredCredentials,
): Promise<readonly ReportedCredential[] | undefined> {
  try {
    return await reports.readCredentials(stored);
  } catch (error) {
    if (error instanceof MalformedRecordError) return undefined;
    throw error;
  }
}

const noNotices: Readonly<Record<NoticeKind, number>> = { expiring: 0, unused: 0, change: 0 };

/** Counts what is sent. */
function countNotices(putNotices: PutNotices) {
  const counts = { ...noNotices };
  const put: PutNotices = async (notices) => {
    if (notices.length === 0) return;
    await putNotices(notices);
    for (const { kind } of notices) counts[kind] += 1;
  };
  return { counts, put };
}

type CredentialStage = Exclude<RunStage, 'changes'>;

function nextStage(stage: CredentialStage): RunStage {
  return runStages[runStages.indexOf(stage) + 1] ?? 'changes';
}

type ReadCredentials = (
  ports: DailyRunPorts,
  query: StorePageQuery,
  now: number,
) => Promise<CredentialPage>;

interface CredentialPage {
  readonly credentials: readonly Credential[];
  readonly next: string | undefined;
  readonly clients?: readonly Client[];
}

/** A page of the credentials that work. */
const readers: Readonly<Record<CredentialStage, ReadCredentials>> = {
  clients: async ({ clients }, query, now) => {
    const { items, next } = await clients.readClients(query);
    const credentials = items.flatMap((client) => secretsInUse(client, now));
    return { credentials, next, clients: items };
  },
  api_keys: async ({ apiKeys, apiKeyUses }, query, now) => {
    const { items, next } = await apiKeys.readApiKeys(query);
    const keys = await withUsesOfRotated({ apiKeyUses }, items);
    return { credentials: keys.flatMap((key) => keyInUse(key, now)), next };
  },
};

function otherSlot({ report }: DailyState): ReportSlot {
  return report?.slot === 'a' ? 'b' : 'a';
}

/** A run, and what is stored of it and of the one before. */
interface SavedRun {
  readonly state: DailyState;
  readonly run: OpenRun;
}

/** One attempt of a run. */
class Attempt {
  readonly #ports: DailyRunPorts;
  readonly #times: RunTimes;
  #state: DailyState;
  #run: OpenRun;
  #credentials: readonly ReportedCredential[];
  /** The version with which it began. */
  readonly #number: number;
  readonly #findOutside: ReturnType<typeof checkOutside>;
  /** Whether a write of the state failed, or may have been made: what is stored may hold by now. */
  #isUncertain = false;

  private constructor(
    ports: DailyRunPorts,
    { state, run }: SavedRun,
    times: RunTimes,
    credentials: readonly ReportedCredential[],
  ) {
    this.#ports = ports;
    this.#state = state;
    this.#run = run;
    this.#times = times;
    this.#credentials = credentials;
    this.#number = state.version;
    this.#findOutside = checkOutside({ ...ports.grants, onlyGranted: true });
  }

  static async begin(
    ports: DailyRunPorts,
    deployment: string,
    { state, run }: SavedRun,
  ): Promise<Attempt> {
    const { time: now, parts, attempt } = run;
    const report = state.report && isPast(state.report.time, now) ? state.report : undefined;
    const isPublished = report?.time === now;
    const before = report === undefined || isPublished ? [] : await readStored(ports, report);
    const reported = new Map(before?.map((one) => [credentialId(one), one.expiresAt]));
    const times: RunTimes = { deployment, now, before: report?.time, reported };
    if (isPublished || parts === 0) return new Attempt(ports, { state, run }, times, []);
    const credentials = await readStored(ports, {
      slot: otherSlot(state),
      parts,
      time: now,
      attempt,
    });
    return credentials === undefined
      ? new Attempt(ports, { state, run: firstStep(now) }, times, [])
      : new Attempt(ports, { state, run }, times, credentials);
  }

  get expiring(): number {
    return this.#isPublished ? (this.#state.report?.count ?? 0) : this.#credentials.length;
  }

  get outside(): number | undefined {
    return this.#state.report?.outside;
  }

  get #isPublished(): boolean {
    return this.#state.report?.time === this.#run.time;
  }

  /** @returns whether all was done, and the regions that could not be read. */
  async proceed(): Promise<{ isDone: boolean; unread: readonly UnreadRegion[] }> {
    while (this.#run.stage !== 'changes') {
      if (this.#ports.isOutOfTime()) return { isDone: false, unread: [] };
      await this.#readPage(this.#run.stage);
    }
    if (!this.#isPublished) await this.#publish();
    const unread: UnreadRegion[] = [];
    let isDone = true;
    for (const region of this.#ports.changes.regions) {
      const told = await this.#tellRegion(region);
      isDone &&= told === true;
      if (typeof told === 'object') unread.push(told);
    }
    return { isDone, unread };
  }

  /** Saves how far the run is. */
  async save(isDone: boolean): Promise<void> {
    if (this.#isUncertain) return;
    const { parts, attempt } = this.#isPublished
      ? { parts: 0 }
      : await this.#writeParts(this.#credentials);
    await this.#write({ run: isDone ? undefined : { ...this.#run, parts, attempt } });
  }

  /** Writes to the slot that the report is not in, if no later attempt did. */
  async #writeParts(credentials: readonly ReportedCredential[]): Promise<StoredCredentials> {
    const slot = otherSlot(this.#state);
    const stored = { slot, time: this.#run.time, attempt: this.#number };
    return { ...stored, parts: await this.#ports.reports.writeCredentials(stored, credentials) };
  }

  async #write(change: Partial<DailyState>): Promise<void> {
    const state = { ...this.#state, ...change, version: this.#state.version + 1 };
    this.#isUncertain = true;
    await this.#ports.reports.writeState(state);
    this.#isUncertain = false;
    this.#state = state;
  }

  async #readPage(stage: CredentialStage): Promise<void> {
    const { now } = this.#times;
    const query = { limit: maxListedItems, after: this.#run.cursor };
    const { credentials, next, clients = [] } = await readers[stage](this.#ports, query, now);
    let { outside = 0 } = this.#run;
    // What is disabled takes no one's callers, and would keep the alarm from ringing again.
    for (const client of clients.filter(({ enabled }) => enabled)) {
      if ((await this.#findOutside(client)) !== undefined) outside += 1;
    }
    const notices = credentials.flatMap((one) => findCredentialNotices(one, this.#times));
    await this.#ports.putNotices(notices);
    const expiring = credentials.filter((one) => isExpiring(one, now));
    this.#credentials = [...this.#credentials, ...expiring];
    this.#run =
      next === undefined
        ? { ...this.#run, outside, stage: nextStage(stage), cursor: undefined }
        : { ...this.#run, outside, cursor: next };
  }

  async #publish(): Promise<void> {
    const sorted = sortByExpiry(this.#credentials);
    const { outside = 0, ...run } = this.#run;
    const report = { ...(await this.#writeParts(sorted)), count: sorted.length, outside };
    await this.#write({ report, run: { ...run, parts: 0, attempt: undefined } });
  }

  async #tellRegion(region: RegionId): Promise<boolean | UnreadRegion> {
    const range = rangeOf(this.#run.time, this.#state.changesUntil[region]);
    if (range.since >= range.until) return true;
    return tellChanges(this.#ports, {
      ...range,
      region,
      deployment: this.#times.deployment,
      onTold: (milliseconds) => {
        const changesUntil = {
          ...this.#state.changesUntil,
          [region]: formatMilliseconds(milliseconds),
        };
        this.#state = { ...this.#state, changesUntil };
      },
    });
  }
}

/**
 * Makes one attempt of the daily run, if a run is due: sends the notices of all credentials that
 * expire or are not used, writes the report of those that expire, and sends the notices of all
 * changes. An attempt that ends early or fails is continued by the next one. Nothing is told twice
 * unless an attempt fails in the middle; the repetition then has the same ids.
 *
 * @param deployment its name.
 * @throws {UnavailableError} if a store or EventBridge does not answer.
 * @throws {ConflictError} if there is another attempt at the same time.
 */
export async function runDaily(ports: DailyRunPorts, deployment: string): Promise<DailyRunOutcome> {
  const stored = (await ports.reports.readState()) ?? { version: 0, changesUntil: {} };
  const now = ports.now();
  const state = { ...stored, changesUntil: pastOnly(stored.changesUntil, now) };
  const run = findRun(state, now);
  if (run === undefined) {
    const { time = 0, count: expiring = 0, outside } = state.report ?? {};
    return { status: 'current', time, notices: noNotices, expiring, outside, unread: [] };
  }
  // From here on, an attempt that began before writes nothing more: neither the state nor a part.
  const begun = { ...state, run, version: state.version + 1, nonce: ports.drawNonce() };
  await ports.reports.writeState(begun);
  const { counts, put } = countNotices(ports.putNotices);
  const saved = { state: begun, run };
  const attempt = await Attempt.begin({ ...ports, putNotices: put }, deployment, saved);
  try {
    const { isDone, unread } = await attempt.proceed();
    await attempt.save(isDone);
    const status = isDone ? 'complete' : 'continues';
    const { expiring, outside } = attempt;
    return { status, time: run.time, notices: counts, expiring, outside, unread };
  } catch (error) {
    await attempt.save(false);
    throw error;
  }
}
