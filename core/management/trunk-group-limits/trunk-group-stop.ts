import type { OperationInput } from '../../../contract/management/operations.ts';
import { ConflictError, RefusedError } from '../../errors.ts';
import type { OwnedRecord } from '../../record-store.ts';
import type { Client } from '../../client/client.ts';
import { isStoppedBy, type Stop, type Stops, withoutStop, withStop } from '../../stops.ts';
import { ownedApiKeys } from '../api-keys.ts';
import { requireEveryTrunkGroup } from '../caller-reach.ts';
import { ownedClients } from '../clients.ts';
import { checkVersion, type IfVersion, repeatStop } from '../if-version.ts';
import { type Page, type PageRequest, readPageRequest } from '../list-query.ts';
import { type ManagementContext, newStop } from '../management-context.ts';
import type { OwnedOperations } from '../owned-records.ts';
import { listProviders, writeProviderStops } from '../providers/identity-providers.ts';
import { writeLimits } from './limits-record.ts';

const kind = 'trunk_group';

/** Writes at the same time. Each is three: with three regions 0.3 seconds. */
const writesAtOnce = 16;

/** A change that another one overtook is left to the next pass, which finds it again. */
async function writeEach<T>(items: readonly T[], write: (item: T) => Promise<unknown>) {
  const rest = items.values();
  const work = async () => {
    for (const item of rest) {
      try {
        await write(item);
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: writesAtOnce }, work));
}

/** @param stop undefined: it ends. */
const nextStops = (stops: Stops | undefined, stop: Stop | undefined) =>
  stop === undefined ? withoutStop(stops, kind) : withStop(stops, kind, stop);

/** The change of a client or an API key. */
function switched<T extends OwnedRecord>({ stops }: T, stop: Stop | undefined): Partial<T> {
  const changes: Partial<OwnedRecord> = { stops: nextStops(stops, stop) };
  return changes as Partial<T>;
}

/** Stops a record if its trunk group was stopped while it was written, other than by its creation. */
export async function stopWithGroup<T extends OwnedRecord>(
  context: ManagementContext,
  { write, audited }: OwnedOperations<T>,
  record: T,
): Promise<void> {
  const { stops } = await context.trunkGroupLimits.find(record.serviceTrunkGroup);
  if (stops !== undefined)
    await write(context, record, `${audited}.disable`, switched(record, stops[kind]));
}

interface Switch {
  readonly group: string;
  /** Undefined: it ends. */
  readonly stop: Stop | undefined;
}

/** One page of the clients, or of the API keys, of a trunk group. */
async function switchOwned<T extends OwnedRecord>(
  context: ManagementContext,
  { list, write, idOf, audited }: OwnedOperations<T>,
  { group, stop }: Switch,
  request: PageRequest,
): Promise<Page<string>> {
  const matches = (record: T) => isStoppedBy(record, kind) === (stop === undefined);
  const query = { ...readPageRequest(request), trunkGroups: [group], matches };
  const { items, ...page } = await list(context, query);
  const action = `${audited}.${stop === undefined ? 'enable' : 'disable'}`;
  await writeEach(items, (record) => write(context, record, action, switched(record, stop)));
  return { ...page, items: items.map(idOf) };
}

/** A provider of other trunk groups as well goes on for them. */
async function switchProviders(
  context: ManagementContext,
  { group, stop }: Switch,
): Promise<Page<string>> {
  const own = (await listProviders(context)).filter(
    (provider) =>
      isStoppedBy(provider, kind) === (stop === undefined) &&
      provider.owner?.trunkGroups.every((one) => one === group) === true &&
      provider.owner.trunkGroups.length > 0,
  );
  const verb = stop === undefined ? 'resume' : 'stop';
  await writeEach(own, (provider) =>
    writeProviderStops(context, provider, verb, nextStops(provider.stops, stop)),
  );
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
  const stops = nextStops(before.stops, enabled ? undefined : await newStop(context));
  if (stops === before.stops) return;
  await writeLimits(context, before, enabled ? 'resume' : 'stop', { ...before, stops });
}

/**
 * Stops a trunk group, or resumes it, in parts: the record that keeps anything from being made in it,
 * then its clients, API keys and own providers, page by page. Each keeps its other stops. The stop of
 * a client is also that of its secrets and keys. To resume it, the record comes last.
 *
 * A list follows its table within a second: whoever stops a trunk group begins again until a pass that
 * began later finds nothing.
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
  const change = { group, stop: enabled ? undefined : stop };
  if (members === 'providers') return switchProviders(context, change);
  return members === 'clients'
    ? switchOwned<Client>(context, ownedClients, change, request)
    : switchOwned(context, ownedApiKeys, change, request);
}
