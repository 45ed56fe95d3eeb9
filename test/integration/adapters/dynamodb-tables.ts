import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { createDynamoDbClient } from '../../../adapters/dynamodb/dynamodb-client.ts';
import { type TableKey, tableName, tables } from '../../../contract/tables.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { startDynalite, testAwsOptions } from './dynalite.ts';

/** The tables of a deployment in a DynamoDB of their own. */
export interface TestTables {
  readonly endpoint: string;
  readonly dynamodb: DynamoDBDocument;
  nameOf(key: TableKey): string;
  empty(key: TableKey): Promise<void>;
  close(): Promise<void>;
}

export async function startTables(): Promise<TestTables> {
  const server = await startDynalite();
  const dynamodb = createDynamoDbClient(testAwsOptions(server.endpoint));
  await createTables(dynamodb, 'test');
  const nameOf = (key: TableKey) => tableName('test', key);
  return {
    endpoint: server.endpoint,
    dynamodb,
    nameOf,
    async empty(key) {
      const { partitionKey, sortKey } = tables[key] as { partitionKey: string; sortKey?: string };
      const names = [partitionKey, ...(sortKey === undefined ? [] : [sortKey])];
      const { Items = [] } = await dynamodb.scan({ TableName: nameOf(key) });
      for (const item of Items) {
        const Key = Object.fromEntries(names.map((name) => [name, item[name]]));
        await dynamodb.delete({ TableName: nameOf(key), Key });
      }
    },
    close: () => server.close(),
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
