import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { tables } from '../../../contract/tables.ts';
import type { RestoredTables } from '../../../core/restore/restore-items.ts';
import type { Item } from '../items/item.ts';
import { settingItems } from '../items/setting-items.ts';
import { createDynamoDbApiKeyStore } from './api-key-store.ts';
import { createDynamoDbClientStore } from './client-store.ts';
import { createDynamoDbIdentityProviderStore } from './identity-provider-store.ts';
import { parseItems, type StoreOptions, scanItems } from './read-items.ts';

/** The items of one partition. Of a restored table, an operator may only make a Scan. */
async function* scanRecords(
  dynamodb: DynamoDBDocument,
  table: string,
  recordType: string,
  store: StoreOptions,
): AsyncGenerator<Item> {
  for await (const item of scanItems(dynamodb, table, store)) {
    if (item[tables.settings.partitionKey] === recordType) yield item;
  }
}

/** A table that DynamoDB restored next to the live one. Its kind decides how it is read. */
export function createRestoredTables(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions,
): RestoredTables {
  const settings = <T extends object>(kind: {
    readonly recordType: string;
    readonly parse: (item: Item) => T;
  }) => parseItems(scanRecords(dynamodb, table, kind.recordType, store), kind.parse, store);
  return {
    clients: () => createDynamoDbClientStore(dynamodb, table, store).list(),
    apiKeys: () => createDynamoDbApiKeyStore(dynamodb, table, store).list(),
    identityProviders: () =>
      createDynamoDbIdentityProviderStore(dynamodb, table, store).listIdentityProviders(),
    settings: {
      limits: () => settings(settingItems.limits),
      owners: () => settings(settingItems.owner),
      grants: (kind) => settings(settingItems[kind]),
      people: () => settings(settingItems.person),
    },
  };
}
