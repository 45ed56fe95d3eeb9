import { Wrong } from '../../../contract/management/fields.ts';
import { RefusedError } from '../../errors.ts';
import type { StorePage } from '../../paging.ts';
import type { PortOptions } from '../../port.ts';
import {
  type GrantLimits,
  intersectLimits,
  type TrunkGroupLimits,
  type TrunkGroupLimitsStore,
} from '../../trunk-group/trunk-group-limits.ts';
import { currentTime, type ManagementContext } from '../management-context.ts';
import { isOwnProvider } from '../provider-reach.ts';
import { refuseProblems, toInputProblem } from '../read-input.ts';
import {
  type Excess,
  findAddedExcesses,
  findApiKeyExcess,
  findClientExcess,
} from '../trunk-group-limits/limit-excess.ts';
import { onlyStopsApiKey, onlyStopsClient } from '../trunk-group-limits/only-stops.ts';

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

/** Limits of trunk groups, of which each is read once. */
function readOnce(read: TrunkGroupLimitsStore['findLimits']): TrunkGroupLimitsStore['findLimits'] {
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
function intersectStored(store: TrunkGroupLimitsStore, own: GrantLimits): TrunkGroupLimitsStore {
  const intersect = (stored: TrunkGroupLimits) => ({ ...stored, ...intersectLimits(own, stored) });
  return {
    ...store,
    findLimits: readOnce(async (group) => intersect(await store.findLimits(group))),
    readLimits: async (query) => {
      const page = await store.readLimits(query);
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

type LimitsOf = (serviceTrunkGroup: string) => Promise<GrantLimits>;

function limitClients(
  { clients, clock, providerOwners }: ManagementContext,
  limitsOf: LimitsOf,
): ManagementContext['clients'] {
  const { find, findBefore } = rememberRead((id, options) => clients.findClient(id, options));
  return {
    ...clients,
    findClient: find,
    createClient: async (client) => {
      const { serviceTrunkGroup: group, provider } = client;
      const found = await limitsOf(group);
      const isOwn =
        found.providers !== undefined &&
        provider !== undefined &&
        (await isOwnProvider({ providerOwners }, provider, group));
      const limits = isOwn ? { ...found, providers: undefined } : found;
      checkAdded(findClientExcess(limits, client, currentTime({ clock })));
      await checkRoom('clients', limits.maxClients, (after) =>
        clients.readClients(within(group, after)),
      );
      await clients.createClient(client);
    },
    replaceClient: async (client) => {
      const before = await findBefore(client.clientId, client);
      if (before === undefined || !onlyStopsClient(before, client)) {
        const limits = await limitsOf(client.serviceTrunkGroup);
        const now = currentTime({ clock });
        const had = before === undefined ? [] : findClientExcess(limits, before, now);
        checkAdded(findClientExcess(limits, client, now), had);
      }
      await clients.replaceClient(client);
    },
  };
}

function limitApiKeys(
  { apiKeys, clock }: ManagementContext,
  limitsOf: LimitsOf,
): ManagementContext['apiKeys'] {
  const { find, findBefore } = rememberRead((id, options) => apiKeys.findApiKey(id, options));
  return {
    ...apiKeys,
    findApiKey: find,
    createApiKey: async (key) => {
      const { serviceTrunkGroup: group } = key;
      const limits = await limitsOf(group);
      checkAdded(findApiKeyExcess(limits, key, currentTime({ clock })));
      await checkRoom('API keys', limits.maxApiKeys, (after) =>
        apiKeys.readApiKeys(within(group, after)),
      );
      await apiKeys.createApiKey(key);
    },
    replaceApiKey: async (key) => {
      const before = await findBefore(key.keyId, key);
      if (before === undefined || !onlyStopsApiKey(before, key)) {
        const limits = await limitsOf(key.serviceTrunkGroup);
        const now = currentTime({ clock });
        const had = before === undefined ? [] : findApiKeyExcess(limits, before, now);
        checkAdded(findApiKeyExcess(limits, key, now), had);
      }
      await apiKeys.replaceApiKey(key);
    },
  };
}

/**
 * Limits what operations can grant, below the operations themselves: to what the caller's own limits
 * and those of the trunk group allow.
 *
 * @param own limits of the caller, which the config names.
 * @param isStaff whether only the own limits hold.
 */
export function limitGrants(
  context: ManagementContext,
  own: GrantLimits,
  isStaff: boolean,
): ManagementContext {
  const { trunkGroupLimits: stored } = context;
  const trunkGroupLimits = isStaff ? stored : intersectStored(stored, own);
  const limitsOf: LimitsOf = isStaff
    ? async () => own
    : (group) => trunkGroupLimits.findLimits(group);
  return {
    ...context,
    clients: limitClients(context, limitsOf),
    apiKeys: limitApiKeys(context, limitsOf),
    trunkGroupLimits,
    grants: { limits: own, hasTrunkGroupLimits: !isStaff },
  };
}
