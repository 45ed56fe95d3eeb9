import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { onTestFinished } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { type TableKey, tableName, tables } from '../../../contract/tables.ts';
import { startDynamoDb } from '../../../lab/emulator/dynamodb.ts';
import type { IndexTiming } from '../../../lab/emulator/table-indexes.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { testConfig } from '../../support/management.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
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

/** Tables of {@link testConfig} whose index follows them as the test says. They end with the test. */
export async function startIndexedTables(indexTiming: IndexTiming) {
  const server = await startDynamoDb({ accessKey: testAccessKey, indexTiming });
  const aws = testAwsOptions(server.endpoint);
  const dynamodb = createDynamoDbClient(aws);
  onTestFinished(async () => {
    dynamodb.destroy();
    await server.close();
  });
  await createTables(dynamodb, testConfig.name);
  return { aws, dynamodb };
}
