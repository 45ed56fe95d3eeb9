import { tables } from '../../contract/tables.ts';
import type { ClientReader, SecretUseRecorder } from '../../core/client/client-store.ts';
import type { PortOptions } from '../../core/port.ts';
import { callAws, unlessConditionFails } from '../aws-errors.ts';
import { parseClientItem, toClient } from './client-item.ts';
import type { DynamoDbCalls } from './dynamodb-calls.ts';
import { findItem } from './read-items.ts';
import { rememberParsed } from './remember-parsed.ts';
import type { StoreOptions } from './store-options.ts';

const { partitionKey } = tables.clients;

async function recordSecretUse(
  calls: DynamoDbCalls,
  table: string,
  use: { readonly clientId: string; readonly secretId: string; readonly day: string },
  options: PortOptions,
): Promise<void> {
  const input = {
    TableName: table,
    Key: { [partitionKey]: use.clientId },
    UpdateExpression: 'SET secrets.#id.last_used_on = :day',
    // A deleted secret stays deleted, and a clock that is behind never overwrites a later day.
    ConditionExpression:
      'attribute_exists(secrets.#id) AND ' +
      '(attribute_not_exists(secrets.#id.last_used_on) OR secrets.#id.last_used_on < :day)',
    ExpressionAttributeNames: { '#id': use.secretId },
    ExpressionAttributeValues: { ':day': use.day },
  };
  const doing = `record the use of a secret of client "${use.clientId}"`;
  // Already recorded, or the secret no longer exists: there is nothing to record.
  await unlessConditionFails(
    callAws('DynamoDB', doing, () => calls.update(input, { abortSignal: options.signal })),
  );
}

/** What the token endpoint needs of clients in DynamoDB. */
export function createDynamoDbClientReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): ClientReader & SecretUseRecorder {
  const parse = rememberParsed((item) => toClient(parseClientItem(item)));
  return {
    async findClient(clientId, options = {}) {
      const key = { [partitionKey]: clientId };
      const item = await findItem(calls, { ...store, table, key }, options);
      return item && parse(item);
    },
    recordSecretUse: (clientId, secretId, day, options = {}) =>
      recordSecretUse(calls, table, { clientId, secretId, day }, options),
  };
}
