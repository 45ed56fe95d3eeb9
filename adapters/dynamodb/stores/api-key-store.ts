import { tables } from '../../../contract/tables.ts';
import type { ApiKeyReader, ApiKeyStore } from '../../../core/api-key/api-key-store.ts';
import type { DynamoDbCalls, DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import { parseApiKeyItem, toApiKeyItem } from '../items/api-key-item.ts';
import { readOwnedPage } from '../pages/owned-page.ts';
import { ownedItemsConditions } from '../pages/read-page.ts';
import { createFind, parseItems, scanItems } from './read-items.ts';
import type { StoreOptions } from './store-options.ts';
import { openVersioned } from './write-item.ts';

const { partitionKey } = tables.apiKeys;

/** API keys in DynamoDB, one item each. */
export function createDynamoDbApiKeyStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): ApiKeyStore {
  const kind = { table, partitionKey, noun: 'API key', exists: 'an API key of this id exists' };
  const writes = openVersioned(dynamodb, kind);
  return {
    ...createDynamoDbApiKeyReader(dynamodb, table, store),
    createApiKey: async (key) => writes.create(key.keyId, toApiKeyItem(key)),
    replaceApiKey: async (key) => writes.replace(key.keyId, toApiKeyItem(key), key.version - 1),
    deleteApiKey: (keyId, version) => writes.delete(keyId, version),
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
          recentActions: ['api_key.create', 'api_key.update'],
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
  return { findApiKey: createFind(calls, { table, partitionKey, parse: parseApiKeyItem }, store) };
}
