import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callAws } from '../../../adapters/aws-errors.ts';
import type { DynamoDbDocuments } from '../../../adapters/dynamodb/clients/dynamodb-calls.ts';
import { openJsonDynamoDb } from '../../../adapters/dynamodb/clients/json-documents.ts';
import { testAwsEnvironment } from './dynalite.ts';
import { startTables, type TestTables } from './dynamodb-tables.ts';

let tables: TestTables;
let json: DynamoDbDocuments;
let table: string;
let dates: number[] = [];

const open = () =>
  openJsonDynamoDb(
    testAwsEnvironment(tables.endpoint),
    'request',
  )((serverTime) => {
    dates.push(serverTime);
  });

beforeAll(async () => {
  tables = await startTables();
  table = tables.nameOf('audit');
  json = open().own;
});
afterAll(() => tables.close());
beforeEach(async () => {
  dates = [];
  await tables.empty('audit');
});

const key = (record_id: string) => ({ day: '2026-11-24', record_id });
const names = { '#day': 'day' };
const ofTheDay = {
  KeyConditionExpression: '#day = :day',
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: { ':day': '2026-11-24' },
};

/** Without what only one of the clients tells. */
function withoutMetadata(output: unknown): object {
  const { $metadata: _, ...rest } = output as { readonly $metadata?: unknown };
  return JSON.parse(JSON.stringify(rest)) as object;
}

/** What both clients answer, which is the same. */
async function bothAnswer(call: (client: DynamoDbDocuments) => Promise<unknown>): Promise<object> {
  const answer = withoutMetadata(await call(json));
  expect(answer).toEqual(withoutMetadata(await call(tables.dynamodb)));
  return answer;
}

const item = {
  ...key('a'),
  text: 'ü',
  count: 7,
  fraction: 0.5,
  yes: true,
  list: ['x', 1, { deep: [false] }],
  map: { 'with space': { inner: 'y', left_out: undefined } },
  empty_list: [],
  empty_map: {},
  left_out: undefined,
};

describe('the AWS JSON client as a document client', () => {
  it('writes and reads an item of any shape as the SDK does', async () => {
    await json.put({ TableName: table, Item: item });
    const read = await bothAnswer((client) => client.get({ TableName: table, Key: key('a') }, {}));
    expect(read).toEqual({ Item: JSON.parse(JSON.stringify(item)) as object });
  });

  it.each<[string, AttributeValue]>([
    ['a number that JavaScript cannot represent', { N: '12345678901234567890' }],
    ['null', { NULL: true }],
    ['a set', { SS: ['a', 'b'] }],
  ])('reads %s as the SDK does', async (_, value) => {
    const { day, record_id } = key('b');
    const Item = { day: { S: day }, record_id: { S: record_id }, value };
    await tables.dynamodb.send(new PutItemCommand({ TableName: table, Item }));
    const read = (client: DynamoDbDocuments) =>
      client.get({ TableName: table, Key: key('b') }, {}).then(({ Item: found }) => found);
    expect(await read(json)).toEqual(await read(tables.dynamodb));
  });

  it('changes and deletes', async () => {
    await json.put({ TableName: table, Item: item });
    await json.update({
      TableName: table,
      Key: key('a'),
      UpdateExpression: 'SET #map = :map, #count = :count REMOVE #list',
      ExpressionAttributeNames: { '#map': 'map', '#count': 'count', '#list': 'list' },
      ExpressionAttributeValues: { ':map': { a: [1] }, ':count': 8, ':none': undefined },
    });
    const { Item } = await tables.dynamodb.get({ TableName: table, Key: key('a') });
    expect(Item).toMatchObject({ map: { a: [1] }, count: 8 });
    expect(Item).not.toHaveProperty('list');
    await json.delete({ TableName: table, Key: key('a') });
    expect(await json.get({ TableName: table, Key: key('a') }, {})).toEqual({});
  });

  it('reads pages with their counts and the key to go on with', async () => {
    for (const id of ['a', 'b', 'c']) await json.put({ TableName: table, Item: key(id) });
    const first = await bothAnswer((client) =>
      client.query({ TableName: table, ...ofTheDay, Limit: 2 }),
    );
    expect(first).toEqual({
      Items: [key('a'), key('b')],
      Count: 2,
      ScannedCount: 2,
      LastEvaluatedKey: key('b'),
    });
    const rest = await bothAnswer((client) =>
      client.query({ TableName: table, ...ofTheDay, ExclusiveStartKey: key('b') }),
    );
    expect(rest).toEqual({ Items: [key('c')], Count: 1, ScannedCount: 1 });
    const scanned = await bothAnswer((client) =>
      client.scan({
        TableName: table,
        FilterExpression: 'record_id = :id',
        ExpressionAttributeValues: { ':id': 'c' },
      }),
    );
    expect(scanned).toEqual({ Items: [key('c')], Count: 1, ScannedCount: 3 });
  });

  it('reads items by their keys', async () => {
    await json.put({ TableName: table, Item: item });
    const request = { RequestItems: { [table]: { Keys: [key('a'), key('gone')] } } };
    const answer = await bothAnswer((client) => client.batchGet(request));
    expect(answer).toEqual({
      Responses: { [table]: [JSON.parse(JSON.stringify(item))] },
      UnprocessedKeys: {},
    });
  });

  it('fails as the SDK does', async () => {
    const put = (client: DynamoDbDocuments) =>
      client.put({
        TableName: table,
        Item: key('a'),
        ConditionExpression: 'attribute_exists(#day)',
        ExpressionAttributeNames: names,
      });
    const failures = [json, tables.dynamodb].map(async (client) => {
      await expect(put(client)).rejects.toMatchObject({
        name: 'ConditionalCheckFailedException',
        $metadata: { attempts: 1 },
      });
      const none = callAws('DynamoDB', 'read', () =>
        client.get({ TableName: 'none', Key: key('a') }, {}),
      );
      await expect(none).rejects.toThrow('could not read: it does not exist in this AWS region');
    });
    await Promise.all(failures);
  });

  it('gives up with the caller', async () => {
    const abortSignal = AbortSignal.abort();
    await expect(json.scan({ TableName: table }, { abortSignal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

describe('the tables of several regions', () => {
  it('are reached by one client each, and only those of the own region tell the time', async () => {
    const regions = open();
    expect(await regions.inRegion('us-west-2')).toBe(regions.own);
    const other = await regions.inRegion('us-east-2');
    expect(other).not.toBe(regions.own);
    expect(await regions.inRegion('us-east-2')).toBe(other);
    await other.scan({ TableName: 'none' }).catch(() => undefined);
    expect(dates).toEqual([]);
    const before = Date.now();
    await regions.own.scan({ TableName: table });
    // HTTP dates are whole seconds.
    expect(dates).toEqual([expect.toSatisfy((date: number) => Math.abs(date - before) < 60_000)]);
  });
});
