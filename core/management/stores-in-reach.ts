import { Wrong } from '../../contract/management/fields.ts';
import type { ApiKeyStore } from '../api-key/api-key.ts';
import type { ClientStore } from '../client/client.ts';
import { RefusedError } from '../errors.ts';
import type { PortOptions } from '../port.ts';
import type { OwnedQuery, OwnedRecord, OwnedStore } from '../record-store.ts';
import {
  intersectLimits,
  type Limits,
  type TrunkGroupLimits,
} from '../trunk-group/trunk-group-limits.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { isOwnProvider } from './providers/provider-reach.ts';
import { refuseProblems, toInputProblem } from './read-input.ts';
import {
  type Excess,
  findAddedExcesses,
  findApiKeyExcess,
  findClientExcess,
} from './trunk-group-limits/limit-excess.ts';
import { onlyStopsApiKey, onlyStopsClient } from './trunk-group-limits/only-stops.ts';
import { requireRunning } from './trunk-group-limits/require-running.ts';

/** What a caller reaches, and what its limits are. */
export interface StoreReach {
  /** Every group if left out. */
  readonly trunkGroups: readonly string[] | undefined;
  /** The limits of a trunk group. Nothing is checked if left out. */
  readonly limitsOf: ((serviceTrunkGroup: string) => Promise<Limits>) | undefined;
}

export function intersect(
  query: { readonly trunkGroups?: readonly string[] | undefined },
  allowed: readonly string[],
): { readonly trunkGroups: readonly string[] } {
  return { trunkGroups: (query.trunkGroups ?? allowed).filter((one) => allowed.includes(one)) };
}

/**
 * Checks what a change adds. What a record has already stays, also above limits that were lowered
 * since: a change that only takes something away is always possible.
 *
 * @param before what the record had above the limits.
 * @throws {InputError} if the record would get more than the limits allow.
 */
function checkAdded(after: Iterable<Excess>, before: Iterable<Excess> = []): void {
  const added = findAddedExcesses(before, after);
  refuseProblems(
    added.map(({ field, received: input, allowed: message }) =>
      toInputProblem(field, new Wrong({ message, input })),
    ),
  );
}

/**
 * Creations of the same second do not see each other: the limit can be exceeded by as many as are made
 * in it, less one.
 *
 * @throws {RefusedError} if there are as many as are allowed.
 */
async function checkRoom<T extends OwnedRecord>(
  store: OwnedStore<T>,
  { serviceTrunkGroup: group }: T,
  { noun, most }: { readonly noun: string; readonly most: number | undefined },
): Promise<void> {
  if (most === undefined) return;
  const count = most === 0 ? 0 : await store.count(group, most);
  if (count < most) return;
  const has = most === 0 ? 'may have no' : `has ${count}`;
  throw new RefusedError(`the service trunk group ${has} ${noun}; allowed: at most ${most}`);
}

type LimitsStore = ManagementContext['trunkGroupLimits'];

/** Limits of trunk groups, of which each is read once. */
function readOnce(read: LimitsStore['find']): LimitsStore['find'] {
  const known = new Map<string, Promise<TrunkGroupLimits>>();
  return (group) => {
    const limits = known.get(group) ?? read(group);
    known.set(group, limits);
    return limits;
  };
}

/**
 * The limits of trunk groups as a caller sees them: what its own limits allow as well. Only the
 * staff writes them.
 */
export function intersectStored(store: LimitsStore, own: Limits): LimitsStore {
  const narrow = (stored: TrunkGroupLimits) => ({ ...stored, ...intersectLimits(own, stored) });
  return {
    ...store,
    find: readOnce(async (group) => narrow(await store.find(group))),
    readPage: async (query) => {
      const page = await store.readPage(query);
      return { ...page, items: page.items.map(narrow) };
    },
  };
}

/** The records that an operation read before it replaces them, so that none is read again. */
function rememberBefore<T extends OwnedRecord, Query extends OwnedQuery<T>>(
  store: OwnedStore<T, Query>,
  idOf: (record: T) => string,
) {
  const read = new Map<string, T | undefined>();
  const find = async (id: string, options?: PortOptions) => {
    const found = await store.find(id, options);
    read.set(id, found);
    return found;
  };
  const readPage = async (query: Query) => {
    const page = await store.readPage(query);
    for (const record of page.items) read.set(idOf(record), record);
    return page;
  };
  const findBefore = async (next: T) => {
    const known = read.get(idOf(next));
    return known?.version === next.version - 1 ? known : store.find(idOf(next));
  };
  return { find, readPage, findBefore };
}

/** Clients or API keys, as far as their limits differ. */
interface RestrictedKind<T> {
  readonly noun: string;
  readonly count: 'maxClients' | 'maxApiKeys';
  readonly idOf: (record: T) => string;
  readonly findExcess: (limits: Limits, record: T, now: number) => Iterable<Excess>;
  /** The limits that hold for a new record. */
  readonly limitsOfNew?: (limits: Limits, record: T) => Promise<Limits>;
  readonly onlyStops: (before: T, after: T) => boolean;
  /** Whether a change makes as good as a new record, which keeps nothing that is above the limits. */
  readonly isRenewed?: (before: T, after: T) => boolean;
}

/** What is out of reach does not exist: it is not found, not listed and not written. */
function restrictStore<T extends OwnedRecord, Query extends OwnedQuery<T>>(
  store: OwnedStore<T, Query>,
  context: ManagementContext,
  { trunkGroups, limitsOf }: StoreReach,
  kind: RestrictedKind<T>,
): OwnedStore<T, Query> {
  const { find, readPage, findBefore } = rememberBefore(store, kind.idOf);
  const isWithin = ({ serviceTrunkGroup }: T) => trunkGroups?.includes(serviceTrunkGroup) !== false;
  const narrow = <Q extends OwnedQuery<T>>(query: Q): Q =>
    trunkGroups === undefined ? query : { ...query, ...intersect(query, trunkGroups) };
  const requireWithin = (record: T): void => {
    if (isWithin(record)) return;
    throw new RefusedError(`the service trunk group ${record.serviceTrunkGroup} is out of reach`);
  };
  return {
    ...store,
    find: async (id, options) => {
      const found = await find(id, options);
      return found !== undefined && isWithin(found) ? found : undefined;
    },
    readPage: (query) => readPage(narrow(query)),
    async *list() {
      for await (const record of store.list()) if (isWithin(record)) yield record;
    },
    create: async (record) => {
      requireWithin(record);
      const found = await limitsOf?.(record.serviceTrunkGroup);
      if (found !== undefined) {
        const limits = (await kind.limitsOfNew?.(found, record)) ?? found;
        checkAdded(kind.findExcess(limits, record, currentTime(context)));
        await checkRoom<T>(store, record, { noun: kind.noun, most: limits[kind.count] });
      }
      await store.create(record);
    },
    replace: async (record) => {
      requireWithin(record);
      const before = await findBefore(record);
      if (before === undefined || !kind.onlyStops(before, record)) {
        const { serviceTrunkGroup: group } = record;
        // It would outrun the stop, and what it gives would work after it.
        if (trunkGroups !== undefined) await requireRunning(context, [group]);
        const limits = (await limitsOf?.(group)) ?? {};
        const now = currentTime(context);
        const isNew = before === undefined || kind.isRenewed?.(before, record) === true;
        const had = isNew ? [] : kind.findExcess(limits, before, now);
        checkAdded(kind.findExcess(limits, record, now), had);
      }
      await store.replace(record);
    },
  };
}

export function restrictClients(context: ManagementContext, reach: StoreReach): ClientStore {
  return restrictStore(context.clients, context, reach, {
    noun: 'clients',
    count: 'maxClients',
    idOf: ({ clientId }) => clientId,
    findExcess: findClientExcess,
    limitsOfNew: async (found, { provider, serviceTrunkGroup }) => {
      const isOwn =
        found.providers !== undefined &&
        provider !== undefined &&
        (await isOwnProvider(context, provider, serviceTrunkGroup));
      return isOwn ? { ...found, providers: undefined } : found;
    },
    onlyStops: onlyStopsClient,
  });
}

export function restrictApiKeys(context: ManagementContext, reach: StoreReach): ApiKeyStore {
  return restrictStore(context.apiKeys, context, reach, {
    noun: 'API keys',
    count: 'maxApiKeys',
    idOf: ({ keyId }) => keyId,
    findExcess: findApiKeyExcess,
    onlyStops: onlyStopsApiKey,
    // An old value could otherwise be kept for ever, above every limit.
    isRenewed: (before, after) => before.hash !== after.hash,
  });
}
