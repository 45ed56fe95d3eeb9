import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { maxListedItems } from '../../contract/limits.ts';
import { providerOwnerPrefix, tables, trunkGroupLimitsRecordType } from '../../contract/tables.ts';
import type { ProviderOwnerStore } from '../../core/identity-provider/provider-owner.ts';
import { parseProviderOwnerItem, toProviderOwnerItem } from './provider-owner-item.ts';
import { getItem } from './read-items.ts';
import { queryPage } from './read-page.ts';
import type { StoreOptions } from './store-options.ts';
import { absent, having, putItem } from './write-item.ts';

const { partitionKey, sortKey } = tables.signingKeys;

/** Owners of providers in DynamoDB, in the partition of the limits of trunk groups. */
export function createDynamoDbProviderOwnerStore(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions = {},
): ProviderOwnerStore {
  const keyOf = (registrationId: string) => ({
    [partitionKey]: trunkGroupLimitsRecordType,
    [sortKey]: providerOwnerPrefix + registrationId,
  });
  const readPage = (after: string | undefined) =>
    queryPage(
      dynamodb,
      {
        table,
        partitionKey,
        sortKey,
        value: trunkGroupLimitsRecordType,
        prefix: providerOwnerPrefix,
        limit: maxListedItems,
        after,
        parse: parseProviderOwnerItem,
      },
      store,
    );
  return {
    findOwner: async (registrationId) => {
      const request = { table, key: keyOf(registrationId), consistentRead: store.consistentRead };
      const item = await getItem(dynamodb, request);
      return item && parseProviderOwnerItem(item);
    },
    async *listOwners() {
      let after: string | undefined;
      do {
        const page = await readPage(after);
        yield* page.items;
        after = page.next;
      } while (after !== undefined);
    },
    putOwner: async (owner) =>
      putItem(dynamodb, toProviderOwnerItem(owner), {
        table,
        key: keyOf(owner.registrationId),
        condition:
          owner.version === 1 ? absent(partitionKey) : having('version', owner.version - 1),
        doing: `change the owner of the provider "${owner.issuer}"`,
        conflict: 'it was changed meanwhile',
      }),
  };
}
