import * as v from 'valibot';
import { checkedClientAttributes } from '../../../contract/platform-api-tables.ts';
import { tables } from '../../../contract/tables.ts';
import { memoize } from '../../../core/bounded-map.ts';
import type { ClientLookup } from '../../../core/client/client.ts';
import { itemKeyOf } from '../../../core/client/provider-client-id.ts';
import type { DynamoDbCalls } from '../clients/dynamodb-calls.ts';
import { checkedClientEntries, toCheckedClient } from '../items/client-item.ts';
import { type Item, parseItem } from '../items/item.ts';
import { findItem } from './read-items.ts';

const { partitionKey } = tables.clients;

const checkedClientSchema = v.strictObject(checkedClientEntries);

const names = checkedClientAttributes.map((name, index) => [`#${index}`, name] as const);

const projection = {
  ProjectionExpression: names.map(([place]) => place).join(),
  ExpressionAttributeNames: Object.fromEntries(names),
};

/** Restricts reads of clients to the attributes that the permissions of a platform API allow. */
export function readCheckedClients(calls: Pick<DynamoDbCalls, 'get'>): Pick<DynamoDbCalls, 'get'> {
  return { get: (input, options) => calls.get({ ...input, ...projection }, options) };
}

/** What the verifier needs of clients in DynamoDB. */
export function createDynamoDbClientLookup(calls: DynamoDbCalls, table: string): ClientLookup {
  const checked = readCheckedClients(calls);
  const parse = memoize((item: Item) =>
    toCheckedClient(parseItem(checkedClientSchema, item, 'client', partitionKey)),
  );
  return {
    async findClient(clientId, options = {}) {
      const key = { [partitionKey]: itemKeyOf(clientId) };
      const item = await findItem(checked, { table, key }, options);
      // The attributes that may be read do not have the id of an imported client.
      return item && { ...parse(item), clientId };
    },
  };
}
