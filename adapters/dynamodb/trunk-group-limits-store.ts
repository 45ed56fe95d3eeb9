import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { providerOwnerPrefix, tables, trunkGroupLimitsRecordType } from '../../contract/tables.ts';
import {
  type TrunkGroupLimitsStore,
  withoutLimits,
} from '../../core/trunk-group/trunk-group-limits.ts';
import { getItem } from './read-items.ts';
import { queryPage } from './read-page.ts';
import type { StoreOptions } from './store-options.ts';
import { parseTrunkGroupLimitsItem, toTrunkGroupLimitsItem } from './trunk-group-limits-item.ts';
import { absent, having, putItem } from './write-item.ts';

const { partitionKey, sortKey } = tables.signingKeys;

/** After every sort key that begins with the prefix, and before every trunk group. */
const afterOwners = `${providerOwnerPrefix}\u{10ffff}`;

/** Limits of trunk groups in DynamoDB: a partition of the table of signing keys. */
export function createDynamoDbTrunkGroupLimitsStore(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions = {},
): TrunkGroupLimitsStore {
  const keyOf = (group: string) => ({
    [partitionKey]: trunkGroupLimitsRecordType,
    [sortKey]: group,
  });
  return {
    findLimits: async (group) => {
      const request = { table, key: keyOf(group), consistentRead: store.consistentRead };
      const item = await getItem(dynamodb, request);
      return item === undefined ? withoutLimits(group) : parseTrunkGroupLimitsItem(item);
    },
    readLimits: (query) =>
      queryPage(
        dynamodb,
        {
          table,
          partitionKey,
          sortKey,
          value: trunkGroupLimitsRecordType,
          limit: query.limit,
          // Owners of providers come first.
          after: query.after ?? afterOwners,
          parse: parseTrunkGroupLimitsItem,
        },
        store,
      ),
    putLimits: async (limits) =>
      putItem(dynamodb, toTrunkGroupLimitsItem(limits), {
        table,
        key: keyOf(limits.serviceTrunkGroup),
        condition:
          limits.version === 1 ? absent(partitionKey) : having('version', limits.version - 1),
        doing: `change the limits of trunk group "${limits.serviceTrunkGroup}"`,
        conflict: 'they were changed meanwhile',
      }),
  };
}
