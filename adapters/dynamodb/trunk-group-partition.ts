import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { tables, trunkGroupLimitsRecordType } from '../../contract/tables.ts';
import type { StorePage } from '../../core/paging.ts';
import type { Item } from './item.ts';
import { getItem } from './read-items.ts';
import { type PartitionPage, queryPage } from './read-page.ts';
import type { StoreOptions } from './store-options.ts';
import { following, putItem } from './write-item.ts';

const { partitionKey, sortKey } = tables.signingKeys;

/** A write of the next version of an item. */
interface VersionWrite {
  readonly id: string;
  readonly version: number;
  readonly doing: string;
  readonly conflict: string;
}

/** The partition for limits of trunk groups and owners of providers. */
export function openTrunkGroupPartition(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions,
) {
  const keyOf = (id: string) => ({ [partitionKey]: trunkGroupLimitsRecordType, [sortKey]: id });
  return {
    find: (id: string): Promise<Item | undefined> =>
      getItem(dynamodb, { table, key: keyOf(id), consistentRead: store.consistentRead }),
    readPage: <T extends object>(
      page: Omit<PartitionPage<T>, 'table' | 'partitionKey' | 'sortKey' | 'value'>,
    ): Promise<StorePage<T>> =>
      queryPage(
        dynamodb,
        { table, partitionKey, sortKey, value: trunkGroupLimitsRecordType, ...page },
        store,
      ),
    put: (item: Item, { id, version, doing, conflict }: VersionWrite): Promise<void> => {
      const condition = following(partitionKey, version);
      return putItem(dynamodb, item, { table, key: keyOf(id), condition, doing, conflict });
    },
  };
}
