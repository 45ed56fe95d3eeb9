import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { maxListedItems } from '../../contract/limits.ts';
import { providerOwnerPrefix as prefix } from '../../contract/tables.ts';
import type { ProviderOwnerStore } from '../../core/identity-provider/provider-owner.ts';
import { readEvery } from '../../core/paging.ts';
import { parseProviderOwnerItem, toProviderOwnerItem } from './provider-owner-item.ts';
import type { StoreOptions } from './store-options.ts';
import { openTrunkGroupPartition } from './trunk-group-partition.ts';

/** Owners of providers in DynamoDB, in the partition of the limits of trunk groups. */
export function createDynamoDbProviderOwnerStore(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions = {},
): ProviderOwnerStore {
  const { find, readPage, put } = openTrunkGroupPartition(dynamodb, table, store);
  const list = { prefix, limit: maxListedItems, parse: parseProviderOwnerItem };
  return {
    findOwner: async (registrationId) => {
      const item = await find(prefix + registrationId);
      return item && parseProviderOwnerItem(item);
    },
    listOwners: () => readEvery((after) => readPage({ ...list, after })),
    putOwner: async (owner) =>
      put(toProviderOwnerItem(owner), {
        id: prefix + owner.registrationId,
        version: owner.version,
        doing: `change the owner of the provider "${owner.issuer}"`,
        conflict: 'it was changed meanwhile',
      }),
  };
}
