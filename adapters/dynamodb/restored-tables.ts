import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import type { RestoredTables } from '../../core/restore/restore-items.ts';
import { createDynamoDbApiKeyStore } from './api-key-store.ts';
import { createDynamoDbClientStore } from './client-store.ts';
import { createDynamoDbIdentityProviderStore } from './identity-provider-store.ts';
import type { StoreOptions } from './store-options.ts';

/** A table that DynamoDB restored next to the live one. Its kind decides how it is read. */
export function createRestoredTables(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions,
): RestoredTables {
  return {
    clients: () => createDynamoDbClientStore(dynamodb, table, store).listClients(),
    apiKeys: () => createDynamoDbApiKeyStore(dynamodb, table, store).listApiKeys(),
    identityProviders: () =>
      createDynamoDbIdentityProviderStore(dynamodb, table, store).listIdentityProviders(),
  };
}
