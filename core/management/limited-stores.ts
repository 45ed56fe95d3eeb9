import { Wrong } from '../../contract/management/fields.ts';
import type { ApiKeyStore } from '../api-key/api-key-store.ts';
import type { ClientStore } from '../client/client-store.ts';
import { RefusedError } from '../errors.ts';
import type { StorePage } from '../paging.ts';
import type { PortOptions } from '../port.ts';
import {
  type GrantLimits,
  intersectLimits,
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

/** What belongs to a service trunk group. */
interface Owned {
  readonly serviceTrunkGroup: string;
}

/** What a caller reaches and may grant. */
export interface StoreLimits {
  /** Every group if left out. */
  readonly trunkGroups: readonly string[] | undefined;
  /** What may be granted in a trunk group. Nothing is checked if left out. */
  readonly limitsOf: ((serviceTrunkGroup: string) => Promise<GrantLimits>) | undefined;
}

/** What is out of reach does not exist: it is not found, not listed and not written. */
function createReach(trunkGroups: readonly string[] | undefined) {
  const isWithin = ({ serviceTrunkGroup }: Owned) =>
    trunkGroups?.includes(serviceTrunkGroup) !== false;
  return {
    isWithin,
    requireWithin: ({ serviceTrunkGroup }: Owned): void => {
      if (isWithin({ serviceTrunkGroup })) return;
      throw new RefusedError(`the service trunk group ${serviceTrunkGroup} is out of reach`);
    },
    ifWithin: <T extends Owned>(owned: T | undefined): T | undefined =>
      owned !== undefined && isWithin(owned) ? owned : undefined,
    narrow: <Q extends { readonly trunkGroups?: readonly string[] | undefined }>(query: Q): Q =>
      trunkGroups === undefined ? query : { ...query, ...intersect(query, trunkGroups) },
    async *onlyWithin<T extends Owned>(this: void, all: AsyncIterable<T>) {
      for await (const owned of all) if (isWithin(owned)) yield owned;
    },
  };
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
 * Counts what a trunk group has, page by page. Creations at the same moment do not see each other:
 * the limit can be exceeded by as many as are made at once, less one.
 *
 * @throws {RefusedError} if there are as many as are allowed.
 */
async function checkRoom(
  what: string,
  most: number | undefined,
  readPage: (after: string | undefined) => Promise<StorePage<unknown>>,
): Promise<void> {
  if (most === undefined) return;
  let count = 0;
  let after: string | undefined;
  while (count < most) {
    const page = await readPage(after);
    count += page.items.length;
    after = page.next;
    if (after === undefined) break;
  }
  if (count < most) return;
  const has = most === 0 ? 'may have no' : `has ${count}`;
  throw new RefusedError(`the service trunk group ${has} ${what}; allowed: at most ${most}`);
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
export function intersectStored(store: LimitsStore, own: GrantLimits): LimitsStore {
  const intersect = (stored: TrunkGroupLimits) => ({ ...stored, ...intersectLimits(own, stored) });
  return {
    ...store,
    find: readOnce(async (group) => intersect(await store.find(group))),
    readPage: async (query) => {
      const page = await store.readPage(query);
      return { ...page, items: page.items.map(intersect) };
    },
  };
}

/** Items of one read while counting. */
const countedAtOnce = 500;

function within(group: string, after: string | undefined) {
  return { limit: countedAtOnce, trunkGroups: [group], after };
}

/** The record that an operation read before it replaces it, so that it is not read again. */
function rememberRead<T extends { readonly version: number }>(
  find: (id: string, options?: PortOptions) => Promise<T | undefined>,
) {
  const read = new Map<string, T | undefined>();
  const findAndRemember = async (id: string, options?: PortOptions) => {
    const found = await find(id, options);
    read.set(id, found);
    return found;
  };
  const findBefore = async (id: string, { version }: T) => {
    const known = read.get(id);
    return known?.version === version - 1 ? known : find(id);
  };
  return { find: findAndRemember, findBefore };
}

export function limitClients(
  { clients, clock, providerOwners }: ManagementContext,
  { trunkGroups, limitsOf }: StoreLimits,
): ClientStore {
  const { requireWithin, ifWithin, narrow, onlyWithin } = createReach(trunkGroups);
  const { find, findBefore } = rememberRead((id, options) => clients.findClient(id, options));
  return {
    ...clients,
    findClient: async (id, options) => ifWithin(await find(id, options)),
    readClients: (query) => clients.readClients(narrow(query)),
    listClients: () => onlyWithin(clients.listClients()),
    createClient: async (client) => {
      requireWithin(client);
      const { serviceTrunkGroup: group, provider } = client;
      const found = await limitsOf?.(group);
      if (found !== undefined) {
        const isOwn =
          found.providers !== undefined &&
          provider !== undefined &&
          (await isOwnProvider({ providerOwners }, provider, group));
        const limits = isOwn ? { ...found, providers: undefined } : found;
        checkAdded(findClientExcess(limits, client, currentTime({ clock })));
        await checkRoom('clients', limits.maxClients, (after) =>
          clients.readClients(within(group, after)),
        );
      }
      await clients.createClient(client);
    },
    replaceClient: async (client) => {
      requireWithin(client);
      const before = limitsOf && (await findBefore(client.clientId, client));
      if (limitsOf && (before === undefined || !onlyStopsClient(before, client))) {
        const limits = await limitsOf(client.serviceTrunkGroup);
        const now = currentTime({ clock });
        const had = before === undefined ? [] : findClientExcess(limits, before, now);
        checkAdded(findClientExcess(limits, client, now), had);
      }
      await clients.replaceClient(client);
    },
  };
}

export function limitApiKeys(
  { apiKeys, clock }: ManagementContext,
  { trunkGroups, limitsOf }: StoreLimits,
): ApiKeyStore {
  const { requireWithin, ifWithin, narrow, onlyWithin } = createReach(trunkGroups);
  const { find, findBefore } = rememberRead((id, options) => apiKeys.findApiKey(id, options));
  return {
    ...apiKeys,
    findApiKey: async (id, options) => ifWithin(await find(id, options)),
    readApiKeys: (query) => apiKeys.readApiKeys(narrow(query)),
    listApiKeys: () => onlyWithin(apiKeys.listApiKeys()),
    createApiKey: async (key) => {
      requireWithin(key);
      const { serviceTrunkGroup: group } = key;
      const limits = await limitsOf?.(group);
      if (limits !== undefined) {
        checkAdded(findApiKeyExcess(limits, key, currentTime({ clock })));
        await checkRoom('API keys', limits.maxApiKeys, (after) =>
          apiKeys.readApiKeys(within(group, after)),
        );
      }
      await apiKeys.createApiKey(key);
    },
    replaceApiKey: async (key) => {
      requireWithin(key);
      const before = limitsOf && (await findBefore(key.keyId, key));
      if (limitsOf && (before === undefined || !onlyStopsApiKey(before, key))) {
        const limits = await limitsOf(key.serviceTrunkGroup);
        const now = currentTime({ clock });
        // A new value is as a new key: an old one could otherwise be kept for ever, above every limit.
        const had = before?.hash === key.hash ? findApiKeyExcess(limits, before, now) : [];
        checkAdded(findApiKeyExcess(limits, key, now), had);
      }
      await apiKeys.replaceApiKey(key);
    },
  };
}
