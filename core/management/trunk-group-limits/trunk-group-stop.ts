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
import type { ManagedProvider } from '../providers/provider-reach.ts';
import { writeLimits } from './limits-record.ts';
import { readLimitsNow } from './require-running.ts';

const kind = 'trunk_group';

/** Writes at the same time. Each is three: with three regions 0.3 seconds. */
const writesAtOnce = 16;

/** What a pass sets on the members of a trunk group. */
interface Switch {
  readonly group: string;
  /** undefined: it ends. */
  readonly stop: Stop | undefined;
  /** That of the trunk group's record, for a resume: each stop gives it another one. */
  readonly ifVersion?: number | undefined;
}

/**
 * What other changes overtook each time is left to the next pass, which finds it again.
 *
 * @throws {VersionConflictError} if the trunk group was stopped again since it is resumed.
 */
async function writeEach<T>(
  context: ManagementContext,
  { group, ifVersion }: Switch,
  items: readonly T[],
  write: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  const leave = (error: unknown) => {
    if (!(error instanceof ConflictError || error instanceof NotFoundError)) throw error;
  };
  const work = async () => {
    for (const item of rest) {
      if (ifVersion !== undefined) {
        const { version } = await readLimitsNow(context, group);
        checkVersion(`the limits of ${group}`, ifVersion, version);
      }
      await write(item).catch(leave);
    }
  };
  await Promise.all(Array.from({ length: writesAtOnce }, work));
}

/** @param stop undefined: it ends. */
const nextStops = ({ stops }: Stoppable, stop: Stop | undefined) =>
  stop === undefined ? withoutStop(stops, kind) : withStop(stops, kind, stop);

/** Sets the stop of its trunk group on a record, also while others change it, or ends it. */
async function switchRecord<T extends OwnedRecord>(
  context: ManagementContext,
  { get, write, audited }: OwnedOperations<T>,
  { group, stop, ifVersion }: Switch,
  { id, listed: read }: { readonly id: string; listed?: T | undefined },
): Promise<void> {
  const action = `${audited}.${stop === undefined ? 'enable' : 'disable'}`;
  let listed = read;
  await repeatStop({ ifVersion }, async () => {
    const before = listed ?? (await get(context, id));
    listed = undefined;
    const changes: Partial<OwnedRecord> = { stops: nextStops(before, stop) };
    if (changes.stops === before.stops || before.serviceTrunkGroup !== group) return;
    await write(context, before, action, changes as Partial<T>);
  });
}

/** Stops a record if its trunk group was stopped while it was written, other than by its creation. */
export async function stopWithGroup<T extends OwnedRecord>(
  context: ManagementContext,
  owned: OwnedOperations<T>,
  record: T,
): Promise<void> {
  const { serviceTrunkGroup: group } = record;
  const { stops } = await readLimitsNow(context, group);
  const change = { group, stop: stops?.[kind] };
  if (stops) await switchRecord(context, owned, change, { id: owned.idOf(record) });
}

/** One page of the clients, or of the API keys. */
async function switchOwned<T extends OwnedRecord>(
  context: ManagementContext,
  owned: OwnedOperations<T>,
  change: Switch,
  query: OwnedQuery<T>,
): Promise<Page<string>> {
  const matches = (record: T) => isStoppedBy(record, kind) === (change.stop === undefined);
  const { items, ...page } = await owned.list(context, { ...query, matches });
  await writeEach(context, change, items, (listed) =>
    switchRecord(context, owned, change, { id: owned.idOf(listed), listed }),
  );
  return { ...page, items: items.map(owned.idOf) };
}

/** Whether no other trunk group has a provider: one that others have goes on. */
const isOnlyOf = ({ owner }: ManagedProvider, group: string) =>
  owner?.trunkGroups.length === 1 && owner.trunkGroups[0] === group;

async function switchProviders(context: ManagementContext, change: Switch): Promise<Page<string>> {
  const { group, stop } = change;
  const isOther = (one: ManagedProvider) => isStoppedBy(one, kind) === (stop === undefined);
  const own = (await listProviders(context)).filter((one) => isOnlyOf(one, group) && isOther(one));
  await writeEach(context, change, own, (one) =>
    writeProviderStops(context, one, stop ? 'stop' : 'resume', nextStops(one, stop)),
  );
  return { items: own.map(({ issuer }) => issuer), examined: own.length };
}

/** Stops a provider if the only trunk group that has it was stopped while it was written. */
export async function stopWithOwner(context: ManagementContext, issuer: string): Promise<void> {
  await repeatStop({}, async () => {
    const provider = await findProvider(context, issuer);
    const [group = ''] = provider.owner?.trunkGroups ?? [];
    if (!isOnlyOf(provider, group)) return;
    const { stops } = await readLimitsNow(context, group);
    const next = nextStops(provider, stops?.[kind]);
    if (stops && next !== provider.stops) await writeProviderStops(context, provider, 'stop', next);
  });
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
  const { stops, version } = await context.trunkGroupLimits.find(group);
  checkVersion(`the limits of ${group}`, ifVersion, version);
  const stop = stops?.[kind];
  if (!enabled && stop === undefined) {
    throw new RefusedError(`${group} is not stopped, or was resumed in the meantime`);
  }
  const change = enabled ? { group, stop: undefined, ifVersion: version } : { group, stop };
  if (members === 'providers') return switchProviders(context, change);
  const query = { ...readPageRequest(request), trunkGroups: [group] };
  return members === 'clients'
    ? switchOwned<Client>(context, ownedClients, change, query)
    : switchOwned(context, ownedApiKeys, change, query);
}
