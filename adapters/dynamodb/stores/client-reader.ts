import { tables } from '../../../contract/tables.ts';
import { memoize } from '../../../core/bounded-map.ts';
import type { ClientReader, UseRecorder } from '../../../core/client/client.ts';
import { itemKeyOf } from '../../../core/client/provider-client-id.ts';
import type { PortOptions } from '../../../core/port.ts';
import { callAws, unlessConditionFails } from '../../aws-errors.ts';
import type { DynamoDbCalls } from '../clients/dynamodb-calls.ts';
import { parseClientItem, toClient } from '../items/client-item.ts';
import type { Item } from '../items/item.ts';
import { findItem, type StoreOptions } from './read-items.ts';

const { partitionKey } = tables.clients;

async function recordUse(
  calls: DynamoDbCalls,
  table: string,
  use: { readonly clientId: string; readonly secretId: string | undefined; readonly day: string },
  options: PortOptions,
): Promise<void> {
  const { clientId, secretId, day } = use;
  const path = secretId === undefined ? '' : 'secrets.#id.';
  const credential = secretId === undefined ? partitionKey : 'secrets.#id';
  const input = {
    TableName: table,
    Key: { [partitionKey]: itemKeyOf(clientId) },
    UpdateExpression: `SET ${path}last_used_on = :day`,
    // What was deleted stays deleted, and a clock that is behind never overwrites a later day.
    ConditionExpression:
      `attribute_exists(${credential}) AND ` +
      `(attribute_not_exists(${path}last_used_on) OR ${path}last_used_on < :day)`,
    ...(secretId !== undefined && { ExpressionAttributeNames: { '#id': secretId } }),
    ExpressionAttributeValues: { ':day': day },
  };
  const doing = `record the use of a credential of client "${clientId}"`;
  // Already recorded, or the credential no longer exists: there is nothing to record.
  await unlessConditionFails(
    callAws('DynamoDB', doing, () => calls.update(input, { abortSignal: options.signal })),
  );
}

/** What the token endpoint needs of clients in DynamoDB. */
export function createDynamoDbClientReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): ClientReader & UseRecorder {
  const parse = memoize((item: Item) => toClient(parseClientItem(item)));
  return {
    async findClient(clientId, options = {}) {
      const key = { [partitionKey]: itemKeyOf(clientId) };
      const item = await findItem(calls, { ...store, table, key }, options);
      return item && parse(item);
    },
    recordUse: (clientId, secretId, day, options = {}) =>
      recordUse(calls, table, { clientId, secretId, day }, options),
  };
}
