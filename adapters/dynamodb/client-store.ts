import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { tables } from '../../contract/tables.ts';
import type { Client } from '../../core/client/client.ts';
import type { ClientStore, SecretUseRecorder } from '../../core/client/client-store.ts';
import { ConflictError } from '../../core/errors.ts';
import type { PortOptions } from '../../core/port.ts';
import { callAws } from '../aws-errors.ts';
import { type ClientAttributes, parseClientItem, toClient, toClientItem } from './client-item.ts';
import { createClientUpdate, isSameClient } from './client-update.ts';
import { toItem } from './item.ts';
import { getItem, parseItems, scanItems } from './read-items.ts';
import type { StoreOptions } from './store-options.ts';
import { absent, deleteItem, having, putItem, writeConditionally } from './write-item.ts';

const { partitionKey } = tables.clients;

const changedMeanwhile = 'it was changed or deleted meanwhile';

async function readClient(
  dynamodb: DynamoDBClient,
  table: string,
  clientId: string,
  consistentRead: boolean | undefined,
  options: PortOptions,
): Promise<ClientAttributes | undefined> {
  const what = `client "${clientId}"`;
  const key = { [partitionKey]: clientId };
  const item = await getItem(dynamodb, { table, key, what, consistentRead }, options);
  return item && parseClientItem(item);
}

async function replaceClient(
  dynamodb: DynamoDBClient,
  table: string,
  client: Client,
): Promise<void> {
  const doing = `change client "${client.clientId}"`;
  const wanted = parseClientItem(toClientItem(client));
  const read = () => readClient(dynamodb, table, client.clientId, true, {});
  const stored = await read();
  if (stored?.version !== client.version - 1) {
    throw new ConflictError(`could not ${doing}: ${changedMeanwhile}`);
  }
  // What is stored cannot change between the read and the write without the version changing,
  // but for the days of last use, which the update leaves alone.
  const condition = having('version', stored.version);
  const update = createClientUpdate(stored, wanted);
  const command = new UpdateItemCommand({
    TableName: table,
    Key: toItem({ [partitionKey]: client.clientId }),
    ...condition,
    ...update,
    ExpressionAttributeNames: {
      ...condition.ExpressionAttributeNames,
      ...update.ExpressionAttributeNames,
    },
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ...update.ExpressionAttributeValues,
    },
  });
  await writeConditionally({
    doing,
    conflict: changedMeanwhile,
    send: () => dynamodb.send(command),
    wasDone: async () => {
      const now = await read();
      return now !== undefined && isSameClient(now, wanted);
    },
  });
}

async function recordSecretUse(
  dynamodb: DynamoDBClient,
  table: string,
  use: { readonly clientId: string; readonly secretId: string; readonly day: string },
  options: PortOptions,
): Promise<void> {
  const command = new UpdateItemCommand({
    TableName: table,
    Key: toItem({ [partitionKey]: use.clientId }),
    UpdateExpression: 'SET secrets.#id.last_used_on = :day',
    // A deleted secret stays deleted, and a clock that lags takes no day back.
    ConditionExpression:
      'attribute_exists(secrets.#id) AND ' +
      '(attribute_not_exists(secrets.#id.last_used_on) OR secrets.#id.last_used_on < :day)',
    ExpressionAttributeNames: { '#id': use.secretId },
    ExpressionAttributeValues: toItem({ ':day': use.day }),
  });
  try {
    await callAws(`note the use of a secret of client "${use.clientId}"`, () =>
      dynamodb.send(command, { abortSignal: options.signal }),
    );
  } catch (error) {
    // Noted already, or there is no such secret any more: nothing to note.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/** Clients in DynamoDB, one item each. */
export function createDynamoDbClientStore(
  dynamodb: DynamoDBClient,
  table: string,
  store: StoreOptions = {},
): ClientStore & SecretUseRecorder {
  return {
    async findClient(clientId, options = {}) {
      const found = await readClient(dynamodb, table, clientId, store.consistentRead, options);
      return found && toClient(found);
    },
    createClient: async (client) =>
      putItem(dynamodb, toClientItem(client), {
        table,
        key: { [partitionKey]: client.clientId },
        condition: absent(partitionKey),
        doing: `create client "${client.clientId}"`,
        conflict: 'a client of this id exists',
      }),
    replaceClient: async (client) => replaceClient(dynamodb, table, client),
    deleteClient: async (clientId, version) =>
      deleteItem(dynamodb, {
        table,
        key: { [partitionKey]: clientId },
        condition: having('version', version),
        doing: `delete client "${clientId}"`,
        conflict: changedMeanwhile,
      }),
    listClients: () =>
      parseItems(
        scanItems(dynamodb, table, store),
        (item) => toClient(parseClientItem(item)),
        store,
      ),
    recordSecretUse: (clientId, secretId, day, options = {}) =>
      recordSecretUse(dynamodb, table, { clientId, secretId, day }, options),
  };
}
