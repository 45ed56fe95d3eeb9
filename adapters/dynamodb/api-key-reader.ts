import { tables } from '../../contract/tables.ts';
import type { ApiKeyReader } from '../../core/api-key/api-key-store.ts';
import { parseApiKeyItem } from './api-key-item.ts';
import type { DynamoDbCalls } from './dynamodb-calls.ts';
import { getItem } from './read-items.ts';
import { rememberParsed } from './remember-parsed.ts';
import type { StoreOptions } from './store-options.ts';

/** 1,000 keys of a usual size are 1 MB. */
const maxRememberedKeys = 1000;

/** What the verifier needs of API keys in DynamoDB. */
export function createDynamoDbApiKeyReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): ApiKeyReader {
  const parse = rememberParsed(parseApiKeyItem, maxRememberedKeys);
  return {
    async findApiKey(keyId, options = {}) {
      const request = {
        table,
        key: { [tables.apiKeys.partitionKey]: keyId },
        consistentRead: store.consistentRead,
      };
      const item = await getItem(calls, request, options);
      return item && parse(keyId, item);
    },
  };
}
