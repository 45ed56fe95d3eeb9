import {
  changedSigningKeyAttributes,
  signingKeyRecordTypes,
  tables,
} from '../../../contract/tables.ts';
import type { SigningKeyStore } from '../../../core/signing-key/signing-key.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import { toSigningKeyItem } from '../items/signing-key-item.ts';
import { createDynamoDbSigningKeyReader } from './signing-key-reader.ts';
import type { StoreOptions } from './store-options.ts';
import { absent, having, putItem, updateItem } from './write-item.ts';

const { partitionKey, sortKey } = tables.signingKeys;

/** Signing keys in DynamoDB: one item each, all in one partition, which one Query reads. */
export function createDynamoDbSigningKeyStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): SigningKeyStore {
  const keyOf = (kid: string) => ({ [partitionKey]: signingKeyRecordTypes.key, [sortKey]: kid });
  return {
    ...createDynamoDbSigningKeyReader(dynamodb, table, store),
    createSigningKey: async (key) =>
      putItem(dynamodb, toSigningKeyItem(key), {
        table,
        key: keyOf(key.kid),
        condition: absent(partitionKey),
        doing: `record signing key "${key.kid}"`,
        conflict: 'it is recorded',
      }),
    replaceSigningKey: async (key) =>
      updateItem(dynamodb, toSigningKeyItem(key), {
        table,
        key: keyOf(key.kid),
        attributes: changedSigningKeyAttributes,
        condition: having('version', key.version - 1),
        doing: `change signing key "${key.kid}"`,
        conflict: 'it was changed meanwhile',
      }),
  };
}
