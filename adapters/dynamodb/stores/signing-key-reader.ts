import { tables } from '../../../contract/tables.ts';
import { collect } from '../../../core/paging.ts';
import type { PortOptions } from '../../../core/port.ts';
import type { SigningKeyReader } from '../../../core/signing-key/signing-key.ts';
import type { DynamoDbCalls } from '../clients/dynamodb-calls.ts';
import type { Item } from '../items/item.ts';
import { signingKeyReader } from '../items/signing-key-item.ts';
import { parseItems, queryPartition, type StoreOptions } from './read-items.ts';

/** Lists the records of one kind, which one Query reads. */
export function listRecords<T extends object>(
  calls: DynamoDbCalls,
  table: string,
  { recordType: value, parse }: { readonly recordType: string; readonly parse: (item: Item) => T },
  store: StoreOptions = {},
) {
  const partition = { table, partitionKey: tables.signingKeys.partitionKey, value };
  return (options: PortOptions = {}): Promise<readonly T[]> =>
    collect(parseItems(queryPartition(calls, partition, store, options), parse, store));
}

/** What the token and jwks functions need of signing keys in DynamoDB. */
export function createDynamoDbSigningKeyReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): SigningKeyReader {
  return { listSigningKeys: listRecords(calls, table, signingKeyReader, store) };
}
