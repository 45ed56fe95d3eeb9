import { tables } from '../../../contract/tables.ts';
import type { ApiKeyReader, ApiKeyStore } from '../../../core/api-key/api-key.ts';
import type { DynamoDbCalls, DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import { parseApiKeyItem, toApiKeyItem } from '../items/api-key-item.ts';
import { openOwnedStore } from './owned-store.ts';
import { createFind, type StoreOptions } from './read-items.ts';

const { partitionKey } = tables.apiKeys;

/** API keys in DynamoDB, one item each. */
export function createDynamoDbApiKeyStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): ApiKeyStore {
  const kind = {
    table,
    partitionKey,
    noun: 'API key',
    exists: 'an API key of this id exists',
    idOf: ({ keyId }: { readonly keyId: string }) => keyId,
    parse: parseApiKeyItem,
    toItem: toApiKeyItem,
  };
  return openOwnedStore(dynamodb, kind, store);
}

/** What the verifier needs of API keys in DynamoDB. */
export function createDynamoDbApiKeyReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): ApiKeyReader {
  return { findApiKey: createFind(calls, { table, partitionKey, parse: parseApiKeyItem }, store) };
}
