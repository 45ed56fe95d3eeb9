import { settingRecordTypes, tables } from '../../contract/tables.ts';
import {
  type GrantKind,
  type GrantStore,
  withoutGrants,
} from '../../core/identity-provider/grant.ts';
import type { ProviderOwnerStore } from '../../core/identity-provider/identity-provider.ts';
import type { StorePage } from '../../core/paging.ts';
import {
  type TrunkGroupLimitsStore,
  withoutLimits,
} from '../../core/trunk-group/trunk-group-limits.ts';
import type { DynamoDbDocuments } from './dynamodb-calls.ts';
import { parseGrantListItem, toGrantListItem } from './grant-item.ts';
import type { Item } from './item.ts';
import { parseProviderOwnerItem, toProviderOwnerItem } from './provider-owner-item.ts';
import { findItem, parseOrReport } from './read-items.ts';
import { type PartitionPage, queryPage } from './read-page.ts';
import type { StoreOptions } from './store-options.ts';
import { parseTrunkGroupLimitsItem, toTrunkGroupLimitsItem } from './trunk-group-limits-item.ts';
import { following, putItem } from './write-item.ts';

const { partitionKey, sortKey } = tables.settings;

/** Reads at the same time: a list of 100 own providers takes seven rounds. */
const readsAtOnce = 16;

/** What is found of each id. Those of which nothing is found are left out. */
async function findEach<T>(
  ids: readonly string[],
  find: (id: string) => Promise<T | undefined>,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  const rest = ids.values();
  const work = async () => {
    for (const id of rest) {
      const one = await find(id);
      if (one !== undefined) found.set(id, one);
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, work));
  return found;
}

/** A write of the next version of an item. */
interface VersionWrite {
  readonly id: string;
  readonly version: number;
  readonly doing: string;
  readonly conflict: string;
}

/** A partition of the table of settings. */
export function openRecordPartition(
  dynamodb: DynamoDbDocuments,
  { table, recordType }: { readonly table: string; readonly recordType: string },
  store: StoreOptions,
) {
  const keyOf = (id: string) => ({ [partitionKey]: recordType, [sortKey]: id });
  const find = (id: string): Promise<Item | undefined> =>
    findItem(dynamodb, { table, key: keyOf(id), consistentRead: store.consistentRead });
  return {
    find,
    /** What is stored of each id. A record that cannot be read is reported, and counts as none. */
    findReadable: <T>(ids: readonly string[], parse: (item: Item) => T | undefined) =>
      findEach(ids, async (id) => {
        const item = await find(id);
        return item && parseOrReport(item, parse, store);
      }),
    readPage: <T extends object>(
      page: Omit<PartitionPage<T>, 'table' | 'partitionKey' | 'sortKey' | 'value'>,
    ): Promise<StorePage<T>> =>
      queryPage(dynamodb, { table, partitionKey, sortKey, value: recordType, ...page }, store),
    put: (item: Item, { id, version, doing, conflict }: VersionWrite): Promise<void> => {
      const condition = following(partitionKey, version);
      return putItem(dynamodb, item, { table, key: keyOf(id), condition, doing, conflict });
    },
  };
}

/** What the staff gave to trunk groups, in DynamoDB: two partitions of the table of settings. */
export function createDynamoDbGrantStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): GrantStore {
  const open = (kind: GrantKind) =>
    openRecordPartition(dynamodb, { table, recordType: settingRecordTypes[kind] }, store);
  return {
    // A Query, which operators may make on this table: of what begins with the place, it is the first.
    findGrants: async (kind, place) => {
      const page = { prefix: place, limit: 1, after: undefined, parse: (item: Item) => item };
      const [item] = (await open(kind).readPage(page)).items;
      if (item?.[sortKey] !== place) return withoutGrants(kind, place);
      return parseGrantListItem(kind, item);
    },
    readGrants: (kind, { limit, after }) =>
      open(kind).readPage({ limit, after, parse: (item) => parseGrantListItem(kind, item) }),
    putGrants: async (list) =>
      open(list.kind).put(toGrantListItem(list), {
        id: list.place,
        version: list.version,
        doing: `change what is granted at "${list.place}"`,
        conflict: 'it was changed meanwhile',
      }),
  };
}

/** Owners of providers in DynamoDB: a partition of the table of settings. */
export function createDynamoDbProviderOwnerStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): ProviderOwnerStore {
  const recordType = settingRecordTypes.owner;
  const { find, findReadable, put } = openRecordPartition(dynamodb, { table, recordType }, store);
  return {
    findOwner: async (registrationId) => {
      const item = await find(registrationId);
      return item && parseProviderOwnerItem(item);
    },
    findOwners: async (registrationIds) => {
      const owners = await findReadable(registrationIds, parseProviderOwnerItem);
      return new Map([...owners.values()].map((owner) => [owner.registrationId, owner]));
    },
    putOwner: async (owner) =>
      put(toProviderOwnerItem(owner), {
        id: owner.registrationId,
        version: owner.version,
        doing: `change the owner of the provider "${owner.issuer}"`,
        conflict: 'it was changed meanwhile',
      }),
  };
}

/** Limits of trunk groups in DynamoDB: a partition of the table of settings. */
export function createDynamoDbTrunkGroupLimitsStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): TrunkGroupLimitsStore {
  const { find, readPage, put } = openRecordPartition(
    dynamodb,
    { table, recordType: settingRecordTypes.limits },
    store,
  );
  return {
    findLimits: async (group) => {
      const item = await find(group);
      return item === undefined ? withoutLimits(group) : parseTrunkGroupLimitsItem(item);
    },
    readLimits: ({ limit, after }) => readPage({ limit, after, parse: parseTrunkGroupLimitsItem }),
    putLimits: async (limits) =>
      put(toTrunkGroupLimitsItem(limits), {
        id: limits.serviceTrunkGroup,
        version: limits.version,
        doing: `change the limits of trunk group "${limits.serviceTrunkGroup}"`,
        conflict: 'they were changed meanwhile',
      }),
  };
}
