import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { grantRecordTypes, tables } from '../../contract/tables.ts';
import {
  type GrantKind,
  type GrantStore,
  withoutGrants,
} from '../../core/identity-provider/grant.ts';
import { parseGrantListItem, toGrantListItem } from './grant-item.ts';
import type { Item } from './item.ts';
import { openRecordPartition } from './record-partition.ts';
import type { StoreOptions } from './store-options.ts';

const { sortKey } = tables.signingKeys;

/** What the staff gave to trunk groups, in DynamoDB: two partitions of the table of signing keys. */
export function createDynamoDbGrantStore(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions = {},
): GrantStore {
  const open = (kind: GrantKind) =>
    openRecordPartition(dynamodb, { table, recordType: grantRecordTypes[kind] }, store);
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
