import { tables } from '../../contract/tables.ts';
import type { IdentityProviderReader } from '../../core/identity-provider/identity-provider-store.ts';
import type { DynamoDbCalls } from './dynamodb-calls.ts';
import { parseIdentityProviderItem } from './identity-provider-item.ts';
import { getItem } from './read-items.ts';
import type { StoreOptions } from './store-options.ts';

/** What the verifier needs of identity providers in DynamoDB. */
export function createDynamoDbIdentityProviderReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): IdentityProviderReader {
  return {
    async findIdentityProvider(issuer, options = {}) {
      const request = {
        table,
        key: { [tables.identityProviders.partitionKey]: issuer },
        consistentRead: store.consistentRead,
      };
      const item = await getItem(calls, request, options);
      return item && parseIdentityProviderItem(item);
    },
  };
}
