import { tables } from '../../../contract/tables.ts';
import type {
  IdentityProvider,
  IdentityProviderStore,
} from '../../../core/identity-provider/identity-provider.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import {
  createDynamoDbIdentityProviderReader,
  isGivenKeysItem,
  parseIdentityProviderItem,
  toGivenKeysItem,
  toIdentityProviderItem,
} from '../items/identity-provider-item.ts';
import type { Item } from '../items/item.ts';
import { parseItems, type StoreOptions, scanItems } from './read-items.ts';
import { absent, deleteItem, following, having, putItem } from './write-item.ts';

const { partitionKey } = tables.identityProviders;

async function* withoutKeys(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  for await (const item of items) if (!isGivenKeysItem(item)) yield item;
}

/** The registration must be the same, and a change that knows no stop must not undo one. */
function unlessStopped({ registrationId, stops }: IdentityProvider) {
  const same = having('registration_id', registrationId);
  if (stops !== undefined) return same;
  const ConditionExpression = `${same.ConditionExpression} AND attribute_not_exists(stops)`;
  return { ...same, ConditionExpression };
}

/** Identity providers in DynamoDB, one item each. */
export function createDynamoDbIdentityProviderStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): IdentityProviderStore {
  const at = (issuer: string) => ({ table, key: { [partitionKey]: issuer } });
  const reader = createDynamoDbIdentityProviderReader(dynamodb, table, store);
  const listRegistrations = () =>
    parseItems(withoutKeys(scanItems(dynamodb, table, store)), parseIdentityProviderItem, store);
  return {
    ...reader,
    findRegistration: (issuer) => reader.findIdentityProvider(issuer),
    createIdentityProvider: async (provider) =>
      putItem(dynamodb, toIdentityProviderItem(provider), {
        ...at(provider.issuer),
        condition: absent(partitionKey),
        doing: `register identity provider "${provider.issuer}"`,
        conflict: 'it is registered',
      }),
    replaceIdentityProvider: async (provider) =>
      putItem(dynamodb, toIdentityProviderItem(provider), {
        ...at(provider.issuer),
        condition: unlessStopped(provider),
        doing: `change identity provider "${provider.issuer}"`,
        conflict: 'it was stopped, deleted, or registered again, in the meantime',
      }),
    putGivenKeys: async (keys) => {
      const item = toGivenKeysItem(keys);
      return putItem(dynamodb, item, {
        ...at(String(item[partitionKey])),
        condition: following(partitionKey, keys.version),
        doing: `replace the keys of ${keys.issuer}`,
        conflict: 'they were replaced in the meantime',
      });
    },
    deleteIdentityProvider: async (issuer, registrationId) =>
      deleteItem(dynamodb, {
        ...at(issuer),
        condition: having('registration_id', registrationId),
        doing: `delete identity provider "${issuer}"`,
        conflict: 'it was deleted, or deleted and registered again, in the meantime',
      }),
    listIdentityProviders: listRegistrations,
    listRegistrations,
  };
}
