import { tables } from '../../contract/tables.ts';
import type { ApiKeyReader } from '../../core/api-key/api-key-store.ts';
import { parseApiKeyItem } from './api-key-item.ts';
import type { DynamoDbCalls } from './dynamodb-calls.ts';
import { getItem } from './read-items.ts';
import type { StoreOptions } from './store-options.ts';

/** What the verifier needs of API keys in DynamoDB. */
export function createDynamoDbApiKeyReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): ApiKeyReader {
  return {
    async findApiKey(keyId, options = {}) {
      const request = {
        table,
        key: { [tables.apiKeys.partitionKey]: keyId },
        consistentRead: store.consistentRead,
      };
      const item = await getItem(calls, request, options);
      return item && parseApiKeyItem(item);
    },
  };
}
