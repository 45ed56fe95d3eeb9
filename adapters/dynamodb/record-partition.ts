import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { tables } from '../../contract/tables.ts';
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

/** A partition of the signing keys' table whose records have nothing to do with keys. */
export function openRecordPartition(
  dynamodb: DynamoDBDocument,
  { table, recordType }: { readonly table: string; readonly recordType: string },
  store: StoreOptions,
) {
  const keyOf = (id: string) => ({ [partitionKey]: recordType, [sortKey]: id });
  return {
    find: (id: string): Promise<Item | undefined> =>
      getItem(dynamodb, { table, key: keyOf(id), consistentRead: store.consistentRead }),
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
