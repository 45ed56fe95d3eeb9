import { signingKeyRecordTypes, tables } from '../../../contract/tables.ts';
import { collect } from '../../../core/paging.ts';
import type { SigningKeyReader } from '../../../core/signing-key/signing-key.ts';
import type { DynamoDbCalls } from '../clients/dynamodb-calls.ts';
import { parseSigningKeyItem } from '../items/signing-key-item.ts';
import { parseItems, queryPartition } from './read-items.ts';
import type { StoreOptions } from './store-options.ts';

/** What the token and jwks functions need of signing keys in DynamoDB: one Query reads them all. */
export function createDynamoDbSigningKeyReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): SigningKeyReader {
  const { partitionKey } = tables.signingKeys;
  const partition = { table, partitionKey, value: signingKeyRecordTypes.key };
  return {
    listSigningKeys: (options = {}) =>
      collect(
        parseItems(queryPartition(calls, partition, store, options), parseSigningKeyItem, store),
      ),
  };
}
