import type { OperationInput } from '../../../contract/management/operations.ts';
import type { Client } from '../../client/client.ts';
import { ConflictError, NotFoundError, RefusedError } from '../../errors.ts';
import type { OwnedQuery, OwnedRecord } from '../../record-store.ts';
import { isStoppedBy, type Stop, type Stoppable, withoutStop, withStop } from '../../stops.ts';
import { ownedApiKeys } from '../api-keys.ts';
import { requireEveryTrunkGroup } from '../caller-reach.ts';
import { ownedClients } from '../clients.ts';
import { checkVersion, type IfVersion, repeatStop } from '../if-version.ts';
import { type Page, readPageRequest } from '../list-query.ts';
import { type ManagementContext, newStop } from '../management-context.ts';
import type { OwnedOperations } from '../owned-records.ts';
import {
  findProvider,
  listProviders,
  writeProviderStops,
} from '../providers/identity-providers.ts';
import { findOwner, type ManagedProvider } from '../providers/provider-reach.ts';
import { writeLimits } from './limits-record.ts';
import { readLimitsNow } from './require-running.ts';

const kind = 'trunk_group';

/** Writes at the same time. Each is three: with three regions 0.3 seconds. */
const writesAtOnce = 16;

/** The trunk group that a pass stops or resumes. */
interface Switch {
  readonly group: string;
  /** Of a resume: the version of the trunk group's record. Each stop gives it another one. */
  readonly resumes?: number | undefined;
}

/** What other changes overtook each time is left to the next pass, which finds it again. */
async function writeEach<T>(items: readonly T[], write: (item: T) => Promise<void>) {
  const rest = items.values();
  const leave = (error: unknown) => {
    if (!(error instanceof ConflictError)) throw error;
  };
  const work = async () => {
    for (const item of rest) await write(item).catch(leave);
  };
  await Promise.all(Array.from({ length: writesAtOnce }, work));
}

/** @param stop undefined: it ends. */
const nextStops = ({ stops }: Stoppable, stop: Stop | undefined) =>
  stop === undefined ? withoutStop(stops, kind) : withStop(stops, kind, stop);

/** A client, an API key or a provider, as far as it follows the stop of its trunk group. */
interface Follower<T> {
  readonly read: () => Promise<T>;
  /** undefined: they are not known, and its stops stay. */
  readonly groupsOf: (record: T) => Promise<readonly string[] | undefined>;
  readonly write: (record: T, changes: Stoppable, isStop: boolean) => Promise<T>;
}

/**
 * Stops a record, or ends its stop, as its trunk group says; one of several groups is not stopped. It
 * looks again after each write: a late one would outrun a stop, or a resume.
 *
 * @param listed the record, if it was just read.
 */
async function follow<T extends Stoppable>(
  context: ManagementContext,
  { group: resumed, resumes }: Partial<Switch>,
  { read, groupsOf, write }: Follower<T>,
  listed?: T,
): Promise<void> {
  let [record, mayEnd] = [listed, resumes !== undefined];
  const step = async (): Promise<boolean> => {
    const before = record ?? (await read());
    record = undefined;
    const groups = await groupsOf(before);
    const [group] = groups?.length === 1 ? groups : [];
    const limits = group === undefined ? undefined : await readLimitsNow(context, group);
    const isResumed = group === resumed && limits?.version === resumes;
    const stop = isResumed ? undefined : limits?.stops?.[kind];
    const stops = nextStops(before, stop);
    // A stop that was there before is ended by a resume: a trunk group may have lost its record.
    const isKept = stop === undefined && groups?.length === 1 && !mayEnd;
    if (groups === undefined || isKept || stops === before.stops) return false;
    mayEnd = true;
    record = await write(before, { stops }, stop !== undefined);
    return true;
  };
  const leaveMissing = (error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
  };
  while (await repeatStop({}, step).catch(leaveMissing));
}

/**
 * Stops a record if its trunk group was stopped while it was written, other than by its creation.
 *
 * @param change of the pass that has just read the record.
 */
export function followGroup<T extends OwnedRecord>(
  context: ManagementContext,
  { get, write, audited, idOf }: OwnedOperations<T>,
  record: T,
  change?: Switch,
): Promise<void> {
  const follower: Follower<T> = {
    read: () => get(context, idOf(record)),
    groupsOf: async ({ serviceTrunkGroup }) => [serviceTrunkGroup],
    write: (before, changes, isStop) =>
      write(context, before, `${audited}.${isStop ? 'disable' : 'enable'}`, changes as Partial<T>),
  };
  return follow(context, change ?? {}, follower, change && record);
}

/** One page of the clients, or of the API keys. */
async function switchOwned<T extends OwnedRecord>(
  context: ManagementContext,
  owned: OwnedOperations<T>,
  change: Switch,
  query: OwnedQuery<T>,
): Promise<Page<string>> {
  const matches = (record: T) => isStoppedBy(record, kind) === (change.resumes !== undefined);
  const { items, ...page } = await owned.list(context, { ...query, matches });
  await writeEach(items, (listed) => followGroup(context, owned, listed, change));
  return { ...page, items: items.map(owned.idOf) };
}

/** Whether no other trunk group has a provider: one that others have goes on. */
const isOnlyOf = ({ owner }: ManagedProvider, group: string) =>
  owner?.trunkGroups.length === 1 && owner.trunkGroups[0] === group;

/** Stops a provider if the only trunk group that has it is stopped, and not if it has none or several. */
export function followOwner(context: ManagementContext, issuer: string, change?: Switch) {
  return follow<ManagedProvider>(context, change ?? {}, {
    read: () => findProvider(context, issuer),
    groupsOf: async (provider) => (await findOwner(context, provider))?.trunkGroups,
    write: (provider, { stops }, isStop) =>
      writeProviderStops(context, provider, isStop ? 'stop' : 'resume', stops),
  });
}

async function switchProviders(context: ManagementContext, change: Switch): Promise<Page<string>> {
  const { group, resumes } = change;
  const isOther = (one: ManagedProvider) => isStoppedBy(one, kind) === (resumes !== undefined);
  const own = (await listProviders(context)).filter((one) => isOnlyOf(one, group) && isOther(one));
  await writeEach(own, ({ issuer }) => followOwner(context, issuer, change));
  return { items: own.map(({ issuer }) => issuer), examined: own.length };
}

/** Writes the record by which a trunk group is stopped, or ends its stop. */
async function writeStop(
  context: ManagementContext,
  group: string,
  enabled: boolean,
  { ifVersion }: IfVersion,
): Promise<void> {
  const before = await context.trunkGroupLimits.find(group);
  checkVersion(`the limits of ${group}`, ifVersion, before.version);
  const stops = nextStops(before, enabled ? undefined : await newStop(context));
  // A stop is always written: its version ends a resume that goes on.
  if (enabled && stops === before.stops) return;
  await writeLimits(context, before, enabled ? 'resume' : 'stop', { ...before, stops });
}

/**
 * Stops a trunk group, or resumes it, in parts: the record that keeps anything from being made in it,
 * then its clients, API keys and own providers, page by page. Each keeps its other stops. The stop of
 * a client is also that of its secrets and keys. To resume it, the record comes last.
 *
 * A list follows its table within a second: the caller begins again until a pass that began later finds
 * nothing.
 *
 * @returns what had to be stopped or started: nothing of the record.
 * @throws {RefusedError} if the caller is restricted to trunk groups, and if members are to be stopped
 *   of a trunk group that is not stopped, or no longer.
 */
export async function setTrunkGroupEnabled(
  context: ManagementContext,
  group: string,
  enabled: boolean,
  options: OperationInput<'setTrunkGroupEnabled', 'options'> = {},
): Promise<Page<string>> {
  requireEveryTrunkGroup(context, 'A stop of a trunk group');
  const { members, ifVersion, ...request } = options;
  if (members === undefined) {
    await repeatStop({ ifVersion }, () => writeStop(context, group, enabled, { ifVersion }));
    return { items: [], examined: 0 };
  }
  const check = async (seen: number | undefined) => {
    const { stops, version } = await readLimitsNow(context, group);
    checkVersion(`the limits of ${group}`, seen, version);
    if (enabled || isStoppedBy({ stops }, kind)) return version;
    throw new RefusedError(`${group} is not stopped, or was resumed in the meantime`);
  };
  const version = await check(ifVersion);
  const change = enabled ? { group, resumes: version } : { group };
  const query = { ...readPageRequest(request), trunkGroups: [group] };
  const pages = {
    clients: () => switchOwned<Client>(context, ownedClients, change, query),
    apiKeys: () => switchOwned(context, ownedApiKeys, change, query),
    providers: () => switchProviders(context, change),
  };
  const page = await pages[members]();
  await check(change.resumes);
  return page;
}
