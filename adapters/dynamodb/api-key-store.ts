import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { tables } from '../../contract/tables.ts';
import type { ApiKeyReader, ApiKeyStore } from '../../core/api-key/api-key-store.ts';
import { parseApiKeyItem, toApiKeyItem } from './api-key-item.ts';
import type { DynamoDbCalls } from './dynamodb-calls.ts';
import { readOwnedPage } from './owned-page.ts';
import { getItem, parseItems, scanItems } from './read-items.ts';
import { ownedItemsConditions } from './read-page.ts';
import type { StoreOptions } from './store-options.ts';
import { absent, deleteItem, having, putItem } from './write-item.ts';

const { partitionKey } = tables.apiKeys;

const changedMeanwhile = 'it was changed or deleted meanwhile';

/** API keys in DynamoDB, one item each. */
export function createDynamoDbApiKeyStore(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions = {},
): ApiKeyStore {
  const at = (keyId: string) => ({ table, key: { [partitionKey]: keyId } });
  return {
    ...createDynamoDbApiKeyReader(dynamodb, table, store),
    createApiKey: async (key) =>
      putItem(dynamodb, toApiKeyItem(key), {
        ...at(key.keyId),
        condition: absent(partitionKey),
        doing: `create API key "${key.keyId}"`,
        conflict: 'an API key of this id exists',
      }),
    replaceApiKey: async (key) =>
      putItem(dynamodb, toApiKeyItem(key), {
        ...at(key.keyId),
        condition: having('version', key.version - 1),
        doing: `change API key "${key.keyId}"`,
        conflict: changedMeanwhile,
      }),
    deleteApiKey: async (keyId, version) =>
      deleteItem(dynamodb, {
        ...at(keyId),
        condition: having('version', version),
        doing: `delete API key "${keyId}"`,
        conflict: changedMeanwhile,
      }),
    readApiKeys: ({ matches, ...query }) =>
      readOwnedPage(
        dynamodb,
        {
          table,
          partitionKey,
          query,
          conditions: ownedItemsConditions(query),
          parse: parseApiKeyItem,
          matches,
          recentActions: ['api_key.create', 'api_key.rename', 'api_key.update'],
        },
        store,
      ),
    listApiKeys: () => parseItems(scanItems(dynamodb, table, store), parseApiKeyItem, store),
  };
}

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
