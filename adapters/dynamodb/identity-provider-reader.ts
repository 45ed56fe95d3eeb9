import { tables } from '../../contract/tables.ts';
import type { IdentityProviderReader } from '../../core/identity-provider/identity-provider-store.ts';
import type { DynamoDbCalls } from './dynamodb-calls.ts';
import { parseIdentityProviderItem } from './identity-provider-item.ts';
import { getItem } from './read-items.ts';
import { rememberParsed } from './remember-parsed.ts';
import type { StoreOptions } from './store-options.ts';

/** More providers than a deployment has; 100 of a usual size are 100 KB. */
const maxRememberedProviders = 100;

/** What the verifier needs of identity providers in DynamoDB. */
export function createDynamoDbIdentityProviderReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): IdentityProviderReader {
  const parse = rememberParsed(parseIdentityProviderItem, maxRememberedProviders);
  return {
    async findIdentityProvider(issuer, options = {}) {
      const request = {
        table,
        key: { [tables.identityProviders.partitionKey]: issuer },
        consistentRead: store.consistentRead,
      };
      const item = await getItem(calls, request, options);
      return item && parse(issuer, item);
    },
  };
}
