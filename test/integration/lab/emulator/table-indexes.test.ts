import { join } from 'node:path';
import {
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { trunkGroupIndex } from '../../../../contract/tables.ts';
import { startDynamoDb } from '../../../../lab/emulator/dynamodb.ts';
import type { IndexTiming } from '../../../../lab/emulator/table-indexes.ts';
import { createTable } from '../../../../lab/support/create-tables.ts';
import { testAccessKey } from '../../../support/test-access-key.ts';
import { temporaryDirectory } from '../local/temporary-directory.ts';

const table = { name: 'clients', partitionKey: 'client_id' };
const TableName = table.name;

async function start(options: { directory?: string; indexTiming?: IndexTiming } = {}) {
  const server = await startDynamoDb({ accessKey: testAccessKey, ...options });
  const dynamodb = new DynamoDBClient({
    endpoint: server.endpoint,
    region: 'us-west-2',
    credentials: testAccessKey,
    maxAttempts: 1,
  });
  const close = async () => {
    dynamodb.destroy();
    await server.close();
  };
  onTestFinished(close);
  const put = (id: string, name: string) =>
    dynamodb.send(
      new PutItemCommand({
        TableName,
        Item: { client_id: { S: id }, service_trunk_group: { S: 'tg-1' }, name: { S: name } },
      }),
    );
  const names = async () => {
    const { Items = [] } = await dynamodb.send(
      new QueryCommand({
        TableName,
        IndexName: trunkGroupIndex.name,
        KeyConditionExpression: 'service_trunk_group = :group',
        ExpressionAttributeValues: { ':group': { S: 'tg-1' } },
      }),
    );
    return Items.map(({ name }) => name?.S);
  };
  const isActive = async () => {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
    expect(Table?.GlobalSecondaryIndexes).toMatchObject([{ IndexStatus: 'ACTIVE' }]);
  };
  return { dynamodb, close, put, names, isActive };
}

const withIndex = { ...table, index: trunkGroupIndex };
const unfilled = 'Cannot read from backfilling global secondary index: by-trunk-group';

describe('an index of the local DynamoDB', () => {
  it('has the items in the order of its sort key, and follows each write', async () => {
    const { dynamodb, put, names } = await start();
    await createTable(dynamodb, withIndex);
    await put('c1', 'b');
    await put('c2', 'a');
    expect(await names()).toEqual(['a', 'b']);
    await put('c2', 'c');
    expect(await names()).toEqual(['b', 'c']);
  });

  it('that is added to a table is filled, and cannot be read before', async () => {
    const gate = Promise.withResolvers<void>();
    const { dynamodb, put, names, isActive } = await start({
      indexTiming: { beforeFill: () => gate.promise },
    });
    await createTable(dynamodb, table);
    await put('c1', 'old');
    await createTable(dynamodb, withIndex);
    await put('c2', 'meanwhile');
    await expect(names()).rejects.toThrow(unfilled);
    gate.resolve();
    await vi.waitFor(isActive);
    expect(await names()).toEqual(['meanwhile', 'old']);
  });

  it('is filled to its end by the next process, if the first ended before', async () => {
    const directory = join(temporaryDirectory(), 'dynamodb');
    const first = await start({
      directory,
      indexTiming: { beforeFill: () => new Promise(() => {}) },
    });
    await createTable(first.dynamodb, table);
    await first.put('c1', 'old');
    await createTable(first.dynamodb, withIndex);
    await expect(first.names()).rejects.toThrow(unfilled);
    await first.close();
    const second = await start({ directory });
    await createTable(second.dynamodb, withIndex);
    await vi.waitFor(second.isActive);
    expect(await second.names()).toEqual(['old']);
  });

  it('can be removed and added again, one at a time', async () => {
    const { dynamodb, put, names, isActive } = await start();
    await createTable(dynamodb, withIndex);
    await put('c1', 'a');
    const Delete = { IndexName: trunkGroupIndex.name };
    const update = (...GlobalSecondaryIndexUpdates: object[]) =>
      dynamodb.send(new UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates }));
    await expect(update({ Delete }, { Delete })).rejects.toThrow(
      'Only 1 online index can be created or deleted simultaneously per table',
    );
    await update({ Delete });
    await expect(names()).rejects.toThrow('does not have the specified index');
    await createTable(dynamodb, withIndex);
    await vi.waitFor(isActive);
    expect(await names()).toEqual(['a']);
  });

  it('can be behind its table', async () => {
    const writes: (() => void)[] = [];
    const { dynamodb, put, names } = await start({
      indexTiming: { defer: (write) => writes.push(write) },
    });
    await createTable(dynamodb, withIndex);
    await put('c1', 'a');
    expect(await names()).toEqual([]);
    for (const write of writes) write();
    expect(await names()).toEqual(['a']);
  });
});
