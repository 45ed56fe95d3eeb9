import { stopKinds } from '../../../contract/stop-kinds.ts';
import { tables } from '../../../contract/tables.ts';
import type {
  IdentityProvider,
  IdentityProviderStore,
} from '../../../core/identity-provider/identity-provider.ts';
import type { Stoppable } from '../../../core/stops.ts';
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

/** The registration must be the same, and so must what stops it. */
function unlessStopped({ registrationId }: IdentityProvider, { stops }: Stoppable) {
  const same = having('registration_id', registrationId);
  const ofKinds = stopKinds.map(
    (kind) => `attribute_${stops?.[kind] === undefined ? 'not_exists' : 'exists'}(stops.${kind})`,
  );
  return { ...same, ConditionExpression: [same.ConditionExpression, ...ofKinds].join(' AND ') };
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
    replaceIdentityProvider: async (provider, before) =>
      putItem(dynamodb, toIdentityProviderItem(provider), {
        ...at(provider.issuer),
        condition: unlessStopped(provider, before),
        doing: `change identity provider "${provider.issuer}"`,
        conflict: 'it was stopped or resumed, deleted, or registered again, in the meantime',
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
