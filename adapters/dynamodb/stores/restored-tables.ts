import { type TableKey, type TableSchema, tables } from '../../../contract/tables.ts';
import { itemKeyOf } from '../../../core/client/provider-client-id.ts';
import { givenKeysUri } from '../../../core/identity-provider/given-keys.ts';
import type { RestoredTables, StoredKind } from '../../../core/restore/restore-items.ts';
import type { TrunkGroupLimits } from '../../../core/trunk-group/trunk-group-limits.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import { parseApiKeyItem, toApiKeyItem } from '../items/api-key-item.ts';
import { parseClientItem, toClient, toClientItem } from '../items/client-item.ts';
import {
  isGivenKeysItem,
  parseGivenKeysItem,
  parseIdentityProviderItem,
  toGivenKeysItem,
  toIdentityProviderItem,
} from '../items/identity-provider-item.ts';
import type { Item } from '../items/item.ts';
import { algorithmChoiceItem, heartbeatItem } from '../items/rotation-item.ts';
import { settingItems } from '../items/setting-items.ts';
import { signingKeyItem } from '../items/signing-key-item.ts';
import { findItem, parseItems, type StoreOptions, scanItems } from './read-items.ts';
import { absent, putItem } from './write-item.ts';

/** A kind of items: of a table, or of one partition of it. */
interface ItemKind<T> {
  readonly recordType?: string;
  readonly parse: (item: Item) => T;
  readonly toItem: (record: T) => Item;
  /** Which items of its table are of the kind. */
  readonly includes?: (item: Item) => boolean;
  /** The partition key of an id. */
  readonly keyOf?: (id: string) => string;
}

/** The table that DynamoDB restored, the deployment's own, and how both are read. */
interface TablePair {
  readonly dynamodb: DynamoDbDocuments;
  readonly from: string;
  readonly tableOf: (table: TableKey) => string;
  readonly store: StoreOptions;
}

async function* select(items: AsyncIterable<Item>, includes: (item: Item) => boolean) {
  for await (const item of items) if (includes(item)) yield item;
}

function openKind<T extends object>(
  { dynamodb, from, tableOf, store }: TablePair,
  name: TableKey,
  { recordType, parse, toItem, keyOf = (id) => id, ...kind }: ItemKind<T>,
): StoredKind<T> {
  const { partitionKey, sortKey = partitionKey }: TableSchema = tables[name];
  const { includes = (item) => recordType === undefined || item[partitionKey] === recordType } =
    kind;
  const table = tableOf(name);
  const key = (id: string) => ({ [partitionKey]: recordType ?? keyOf(id), [sortKey]: keyOf(id) });
  return {
    list: () => parseItems(select(scanItems(dynamodb, from, store), includes), parse, store),
    find: async (id) => {
      const item = await findItem(dynamodb, { table, key: key(id), consistentRead: true });
      return item && parse(item);
    },
    create: async (record) => {
      const item = toItem(record);
      const id = String(item[sortKey]);
      return putItem(dynamodb, item, {
        table,
        key: { [partitionKey]: String(item[partitionKey]), [sortKey]: id },
        condition: absent(partitionKey),
        doing: `restore "${id}"`,
        conflict: 'it exists',
      });
    },
  };
}

/** The items of a table that DynamoDB restored, or of any other, and those of the deployment's own. */
export function createRestoredTables(pair: TablePair): RestoredTables {
  const setting = <T extends object>(kind: ItemKind<T>) => openKind(pair, 'settings', kind);
  const ofKeys = <T extends object>(kind: ItemKind<T>) => openKind(pair, 'signingKeys', kind);
  return {
    clients: openKind(pair, 'clients', {
      parse: (item) => toClient(parseClientItem(item)),
      toItem: toClientItem,
      keyOf: itemKeyOf,
    }),
    apiKeys: openKind(pair, 'apiKeys', { parse: parseApiKeyItem, toItem: toApiKeyItem }),
    identityProviders: openKind(pair, 'identityProviders', {
      parse: parseIdentityProviderItem,
      toItem: toIdentityProviderItem,
      includes: (item) => !isGivenKeysItem(item),
    }),
    givenKeys: openKind(pair, 'identityProviders', {
      parse: parseGivenKeysItem,
      toItem: toGivenKeysItem,
      includes: isGivenKeysItem,
      keyOf: givenKeysUri,
    }),
    limits: setting<TrunkGroupLimits>(settingItems.limits),
    owners: setting(settingItems.owner),
    subjectGrants: setting(settingItems.subject),
    issuerGrants: setting(settingItems.issuer),
    people: setting(settingItems.person),
    signingKeys: ofKeys(signingKeyItem),
    algorithmChoice: ofKeys(algorithmChoiceItem),
    heartbeats: ofKeys(heartbeatItem),
  };
}
