import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { providerOwnerPrefix, trunkGroupLimitsRecordType } from '../../contract/tables.ts';
import {
  type TrunkGroupLimitsStore,
  withoutLimits,
} from '../../core/trunk-group/trunk-group-limits.ts';
import { openRecordPartition } from './record-partition.ts';
import type { StoreOptions } from './store-options.ts';
import { parseTrunkGroupLimitsItem, toTrunkGroupLimitsItem } from './trunk-group-limits-item.ts';

/** After every sort key that begins with the prefix, and before every trunk group. */
const afterOwners = `${providerOwnerPrefix}\u{10ffff}`;

/** Limits of trunk groups in DynamoDB: a partition of the table of signing keys. */
export function createDynamoDbTrunkGroupLimitsStore(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions = {},
): TrunkGroupLimitsStore {
  const { find, readPage, put } = openRecordPartition(
    dynamodb,
    { table, recordType: trunkGroupLimitsRecordType },
    store,
  );
  return {
    findLimits: async (group) => {
      const item = await find(group);
      return item === undefined ? withoutLimits(group) : parseTrunkGroupLimitsItem(item);
    },
    readLimits: ({ limit, after = afterOwners }) =>
      readPage({ limit, after, parse: parseTrunkGroupLimitsItem }),
    putLimits: async (limits) =>
      put(toTrunkGroupLimitsItem(limits), {
        id: limits.serviceTrunkGroup,
        version: limits.version,
        doing: `change the limits of trunk group "${limits.serviceTrunkGroup}"`,
        conflict: 'they were changed meanwhile',
      }),
  };
}
