import { saying } from '../../contract/parse-problem.ts';
import type { ApiKey } from '../api-key/api-key.ts';
import type { AuditRecord } from '../audit/audit-log.ts';
import type { StoredPerson } from '../audit/person-name.ts';
import type { Client } from '../client/client.ts';
import { ConflictError, MalformedRecordError, RefusedError } from '../errors.ts';
import type { GrantList } from '../identity-provider/grant.ts';
import type {
  GivenKeys,
  IdentityProvider,
  ProviderOwner,
} from '../identity-provider/identity-provider.ts';
import type { AlgorithmChoice, Heartbeat } from '../key-rotation/rotation-ports.ts';
import { ownedApiKeys } from '../management/api-keys.ts';
import { ownedClients } from '../management/clients.ts';
import {
  currentTime,
  type ManagementContext,
  makeAuditedChange,
  newStop,
} from '../management/management-context.ts';
import type { OwnedOperations } from '../management/owned-records.ts';
import { requireRunning } from '../management/trunk-group-limits/require-running.ts';
import { followGroup } from '../management/trunk-group-limits/trunk-group-stop.ts';
import type { OwnedRecord } from '../record-store.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { parseTime } from '../time.ts';
import type { TrunkGroupLimits } from '../trunk-group/trunk-group-limits.ts';
import {
  type AuditedChange,
  byTime,
  ChangePairs,
  DroppedItem,
  describeChange,
  findChanges,
  type Replayed,
  type ReplayOptions,
  readClientId,
  selectOwnChanges,
} from './replay.ts';
import { replayApiKey } from './replay-api-key.ts';
import { replayClient } from './replay-client.ts';
/** Items of one kind: in a table from an earlier time, and in the deployment's own. */
export interface StoredKind<T> {
  /** Those from an earlier time. */
  readonly list: () => AsyncIterable<T>;
  /** In the live table. */
  readonly find: (id: string) => Promise<T | undefined>;
  /** In the live table. @throws {ConflictError} if the id exists. */
  readonly create: (item: T) => Promise<void>;
}

/** What can be restored. Intents of the rotation cannot: it finds their keys in KMS. */
export interface RestoredTables {
  readonly clients: StoredKind<Client>;
  readonly apiKeys: StoredKind<ApiKey>;
  readonly identityProviders: StoredKind<IdentityProvider>;
  readonly givenKeys: StoredKind<GivenKeys>;
  readonly limits: StoredKind<TrunkGroupLimits>;
  readonly owners: StoredKind<ProviderOwner>;
  readonly subjectGrants: StoredKind<GrantList>;
  readonly issuerGrants: StoredKind<GrantList>;
  readonly people: StoredKind<StoredPerson>;
  readonly signingKeys: StoredKind<SigningKey>;
  readonly algorithmChoice: StoredKind<AlgorithmChoice>;
  readonly heartbeats: StoredKind<Heartbeat>;
}

/** One kind of items, and how the audit reduces them. */
export interface Restorable<T> extends StoredKind<T> {
  /** Noun of the restore in the audit, and the prefix of every action on such items. */
  readonly noun: string;
  readonly idOf: (item: T) => string;
  readonly nameOf?: (item: T) => string;
  /** The subject of its changes in the audit, if that is not its id. */
  readonly auditedAs?: (item: T) => string;
  readonly view: (item: T) => Readonly<Record<string, unknown>>;
  readonly replay: (item: T, changes: ReturnType<ChangesOf>, options: ReplayOptions) => Replayed<T>;
  /** The trunk groups of which none may be stopped. */
  readonly groupsOf?: (item: T) => readonly string[] | Promise<readonly string[]>;
  /** Stops it if its trunk group was stopped while it was written. */
  readonly stopWithGroup?: (item: T) => Promise<void>;
  /** What stands for an item that only the audit names: one that is restored without being stored. */
  readonly missing?: (id: string) => T;
  /** What becomes of one that was made since and is lost; "make it again" if left out. */
  readonly afterLoss?: string;
}

/** The result for one item. */
export interface RestoredRow {
  readonly id: string;
  readonly name: string | undefined;
  /** The subject of its changes in the audit, if that is not its id. */
  readonly auditedAs?: string | undefined;
  /** `lost`: created after the restore point, and neither in the restored nor in the live table. */
  readonly outcome: 'restored' | 'present' | 'dropped' | 'lost';
  /** Which access was removed, or why the item was dropped. */
  readonly because: readonly string[];
  /** What the operator must decide or do. */
  readonly lookAt: readonly string[];
}

export interface RestoreOptions {
  /**
   * The audit records of every region, of each in the order of their times.
   *
   * @param from only those since, in seconds since the epoch; else since before the restore point.
   */
  readonly readAudit: (from?: number) => AsyncIterable<AuditRecord>;
  /** An empty shelf for the changes that they describe. */
  readonly shelf: ChangeShelf;
  /** Shows what will be restored, before anything is. */
  readonly report?: ((rows: readonly RestoredRow[]) => Promise<void>) | undefined;
  /** Hears how many records were read, and how many items were restored. */
  readonly progress?: ((text: string) => void) | undefined;
  /** Ids of items to restore although the audit says that they were deleted. */
  readonly undelete: ReadonlySet<string>;
  /** The same of everything that was deleted from the first time on and before the second, in milliseconds. */
  readonly undeleteBetween?: readonly [from: number, to: number] | undefined;
  /** The restore point, in seconds since the epoch. */
  readonly since: number;
  /** Only reports what would be done. */
  readonly dryRun: boolean;
}

/**
 * Keeps the changes of each item until it is restored, where they take no memory: 35 days of a large
 * deployment have millions.
 */
export interface ChangeShelf {
  /** @param owner id of the item; empty if the change may concern every item. */
  put(owner: string, change: AuditedChange): void;
  take(owner: string): readonly AuditedChange[];
}

const nothing = { because: [], lookAt: [] } as const;

/** Whether the live table has another version than the restored one, for the operator. */
function compareVersions(live: object, stored: object = live): readonly string[] {
  const versionOf = (item: object) => ('version' in item ? Number(item.version) : 0);
  const [here, there] = [versionOf(live), versionOf(stored)];
  return saying(here !== there && `version ${here} here, ${there} in the restored table`);
}

/** An item that cannot be read counts as present, and fails closed in the live table. */
async function findPresent<T extends object>(
  kind: Restorable<T>,
  row: Pick<RestoredRow, 'id' | 'name'>,
  stored?: T,
): Promise<RestoredRow | undefined> {
  try {
    const found = await kind.find(row.id);
    if (found === undefined) return undefined;
    return { ...row, outcome: 'present', because: compareVersions(found, stored), lookAt: [] };
  } catch (error) {
    if (!(error instanceof MalformedRecordError)) throw error;
    return { ...row, outcome: 'present', because: [], lookAt: [error.message] };
  }
}

async function restoreItem<T extends object>(
  context: ManagementContext,
  kind: Restorable<T>,
  stored: T,
  { changesOf, dryRun, undelete: ids, undeleteBetween: [from, to] = [0, 0] }: Replay,
): Promise<RestoredRow> {
  const id = kind.idOf(stored);
  const auditedAs = kind.auditedAs?.(stored);
  const row = { id, name: kind.nameOf?.(stored), auditedAs, ...nothing };
  const present = await findPresent(kind, row, stored);
  if (present !== undefined) {
    // An earlier run may have ended after its write. What cannot be read has something to look at.
    if (!dryRun && present.lookAt.length === 0) await kind.stopWithGroup?.(stored);
    return present;
  }
  const subject = auditedAs ?? id;
  const changes = changesOf(subject);
  const undelete = ({ time }: AuditedChange) =>
    ids.has(subject) || (Date.parse(time) >= from && Date.parse(time) < to);
  let replayed: Replayed<T>;
  try {
    replayed = kind.replay(stored, changes, { undelete, stop: await newStop(context) });
    await requireRunning(context, (await kind.groupsOf?.(stored)) ?? []);
  } catch (error) {
    if (!(error instanceof DroppedItem || error instanceof RefusedError)) throw error;
    return { ...row, outcome: 'dropped', because: [error.message] };
  }
  const { item, lookAt } = replayed;
  const deletions = selectOwnChanges(changes, [kind.noun], subject)
    .filter((change) => change.after === undefined && undelete(change))
    .map((change) => describeChange('deleted', change));
  const narrowed = [...deletions, ...replayed.narrowed];
  if (!dryRun) {
    const change = { action: `${kind.noun}.restore`, subject: id, after: kind.view(item) };
    try {
      await makeAuditedChange(context, change, () => kind.create(item));
    } catch (error) {
      if (error instanceof ConflictError) return { ...row, outcome: 'present' };
      throw error;
    }
    await kind.stopWithGroup?.(item);
  }
  return { ...row, outcome: 'restored', because: narrowed, lookAt };
}

/** Items that were created since and are in neither table: no audit has their hashes. */
async function findLost<T extends object>(
  context: ManagementContext,
  kind: Restorable<T>,
  replay: Replay,
  known: ReadonlySet<string>,
): Promise<readonly RestoredRow[]> {
  const { changes } = replay;
  const made = ['create', 'register', 'restore', 'set', 'stop', 'publish'].map(
    (verb) => `${kind.noun}.${verb}`,
  );
  const last = new Map(
    changes
      // What is restored from the audit takes something away: it counts if it may have been made.
      .filter(({ isCertain }) => isCertain || kind.missing !== undefined)
      .filter(({ action }) => made.includes(action) || action === `${kind.noun}.delete`)
      .map((change) => [change.subject, change]),
  );
  const rows: RestoredRow[] = [];
  for (const [id, { action, time, after }] of last) {
    if (known.has(id) || !made.includes(action) || after === undefined) continue;
    if ((await findPresent(kind, { id, name: undefined })) !== undefined) continue;
    if (kind.missing !== undefined) {
      rows.push(await restoreItem(context, kind, kind.missing(id), replay));
      continue;
    }
    const { afterLoss = 'make it again' } = kind;
    const lookAt = [`made at ${time}, after the restore point: ${afterLoss}`];
    rows.push({ id, name: undefined, outcome: 'lost', because: [], lookAt });
  }
  return rows;
}

/** Seconds by which the clock of the writer of a record may differ: AWS accepts no more. */
const slowestClock = 300;

/** A revocation during the restore may have come too late for this run. */
async function addMeanwhile(
  rows: readonly RestoredRow[],
  { readAudit }: RestoreOptions,
  { from, seen }: LateRecords,
): Promise<readonly RestoredRow[]> {
  const late: AuditRecord[] = [];
  for await (const record of readAudit(from)) {
    if (
      isSince(record, from) &&
      !seen.has(record.recordId) &&
      !record.action.endsWith('.restore')
    ) {
      late.push(record);
    }
  }
  const changesOf = indexChanges(findChanges(late));
  return rows.map((row) => {
    const texts = changesOf(row.auditedAs ?? row.id).map(
      ({ action, time }) => `${action} at ${time}, while this ran: see whether it still holds`,
    );
    return row.outcome === 'restored' ? { ...row, lookAt: [...row.lookAt, ...texts] } : row;
  });
}

/** The records that the first read of the audit may have missed, and those of that time that it has. */
interface LateRecords {
  readonly from: number;
  readonly seen: ReadonlySet<string>;
}

function isSince({ time }: Pick<AuditRecord, 'time'>, from: number): boolean {
  return (parseTime(time) ?? from) >= from;
}

/** What a restore knows of the time since, and what it is told. */
export interface Replay extends RestoreOptions {
  /** Those of clients and API keys only if they made or deleted one, and without what they were. */
  readonly changes: readonly AuditedChange[];
  readonly changesOf: ChangesOf;
}

/** Changes of records of which there are many. */
const ofMany = /^(?:client|client_secret|api_key|api_key_subnet)\./;
const makesOrDeletes = /^(?:client|api_key)\.(?:create|restore|delete)$/;

/** Reads the audit once, and keeps no more of it in memory than says which items there were. */
async function readChanges(
  { readAudit, shelf, progress }: RestoreOptions,
  from: number,
): Promise<Pick<Replay, 'changes' | 'changesOf'> & LateRecords> {
  const changes: AuditedChange[] = [];
  const seen = new Set<string>();
  const pairs = new ChangePairs();
  const keep = (change: AuditedChange): void => {
    shelf.put(ownerOf(change), change);
    if (!ofMany.test(change.action)) changes.push(change);
    else if (makesOrDeletes.test(change.action)) {
      changes.push({ ...change, before: undefined, after: change.after && {} });
    }
  };
  let read = 0;
  for await (const record of readAudit()) {
    if (isSince(record, from)) seen.add(record.recordId);
    const change = pairs.add(record);
    if (change !== undefined) keep(change);
    read += 1;
    if (read % progressStep === 0) progress?.(`${read} records of the audit read`);
  }
  pairs.unfinished.forEach(keep);
  const ofAll = shelf.take(unknownOwner);
  const changesOf = (id: string) => [...shelf.take(id), ...ofAll].sort(byTime);
  return { changes: changes.sort(byTime), changesOf, from, seen };
}

/** Seconds between the intent of a change, which its record may be, and the write. */
const slowestWrite = 60;

/**
 * A replay for records of which the audit has no versions. Only functions change them, by clocks of
 * AWS: what is older than the restore point is in the restored table.
 */
export function sincePoint(replay: Replay): Replay {
  const first = replay.since - slowestWrite;
  const isLater = (change: AuditedChange) => isSince(change, first);
  const changesOf = (id: string) => replay.changesOf(id).filter(isLater);
  return { ...replay, changes: replay.changes.filter(isLater), changesOf };
}

/**
 * Items that are restored at once. With three regions, the three writes of a change take 0.3 seconds:
 * these are 160 changes a second, and a partition of the audit takes 500.
 */
const atOnce = 50;

/** Of records that are read, and of items that are written, after which the progress is told. */
const progressStep = 10_000;

/** Restores the items of one kind. */
export async function restoreKind<T extends object>(
  context: ManagementContext,
  kind: Restorable<T>,
  replay: Replay,
): Promise<readonly RestoredRow[]> {
  const rows: RestoredRow[] = [];
  const items = kind.list()[Symbol.asyncIterator]();
  const doing = replay.dryRun ? 'examined' : 'done';
  const work = async () => {
    for (let next = await items.next(); next.done !== true; next = await items.next()) {
      rows.push(await restoreItem(context, kind, next.value, replay));
      if (rows.length % progressStep === 0) replay.progress?.(`${rows.length} items ${doing}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return [...rows, ...(await findLost(context, kind, replay, new Set(rows.map(({ id }) => id))))];
}

/**
 * Restores the items of a table from an earlier time, without the access that was revoked since. What
 * it will do is reported before the first write. An existing item is never changed, so a run that was
 * interrupted is repeated and goes on.
 */
export async function restoring(
  { clock }: Pick<ManagementContext, 'clock'>,
  options: RestoreOptions,
  restore: (replay: Replay) => Promise<readonly RestoredRow[]>,
): Promise<readonly RestoredRow[]> {
  const from = currentTime({ clock }) - slowestClock;
  const read = await readChanges(options, from);
  const rows = await restore({ ...options, ...read, dryRun: true });
  await options.report?.(rows);
  if (options.dryRun) return rows;
  return addMeanwhile(await restore({ ...options, ...read }), options, read);
}

/** {@link restoring} of a table with one kind of items. */
export async function restoreItems<T extends object>(
  context: ManagementContext,
  kind: Restorable<T>,
  options: RestoreOptions,
): Promise<readonly RestoredRow[]> {
  return restoring(context, options, (replay) => restoreKind(context, kind, replay));
}

/** What clients and API keys have in common. */
function restorableOwned<T extends OwnedRecord>(
  context: ManagementContext,
  kind: OwnedOperations<T>,
) {
  return {
    noun: kind.audited,
    idOf: kind.idOf,
    nameOf: ({ name }: T) => name,
    view: (item: T) => kind.view(item, context),
    groupsOf: ({ serviceTrunkGroup }: T) => [serviceTrunkGroup],
    stopWithGroup: (item: T) => followGroup(context, kind, item),
  };
}

export function restorableClients(
  context: ManagementContext,
  { clients }: Pick<RestoredTables, 'clients'>,
): Restorable<Client> {
  return {
    ...clients,
    ...restorableOwned(context, ownedClients),
    replay: (client, changes, options) =>
      replayClient(client, changes, { ...options, config: context.config }),
  };
}

export function restorableApiKeys(
  context: ManagementContext,
  { apiKeys }: Pick<RestoredTables, 'apiKeys'>,
): Restorable<ApiKey> {
  return { ...apiKeys, ...restorableOwned(context, ownedApiKeys), replay: replayApiKey };
}

/** The changes that may concern an item, by its id. */
type ChangesOf = (id: string) => readonly AuditedChange[];

/** A change of a secret concerns its client, which holds it. */
function ownerOf(change: AuditedChange): string {
  if (!change.action.startsWith('client_secret.')) return change.subject;
  const owner = readClientId(change);
  return typeof owner === 'string' ? owner : unknownOwner;
}

/** No id is empty. A change that does not name its item concerns every item. */
const unknownOwner = '';

/** Keeps a restore of thousands of items from checking every change for each of them. */
export function indexChanges(changes: readonly AuditedChange[]): ChangesOf {
  const byOwner = Map.groupBy(changes, ownerOf);
  return (id) => [id, unknownOwner].flatMap((owner) => byOwner.get(owner) ?? []);
}
