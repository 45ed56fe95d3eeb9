import { describe, expect, it } from 'vitest';
import type { ResourceCall } from '../../../../lab/emulator/iam/authorizer.ts';
import { dynamodbCalls } from '../../../../lab/emulator/iam/dynamodb-calls.ts';
import { evaluateRequest } from '../../../../lab/emulator/iam/evaluate-request.ts';

const account = '000000000000';
const key = { S: 'client_1' };

function dynamodb(operation: string, input: object): readonly ResourceCall[] {
  return dynamodbCalls(
    {
      headers: { 'x-amz-target': `DynamoDB_20120810.${operation}` },
      body: Buffer.from(JSON.stringify(input)),
      region: 'us-west-2',
    },
    { account, partitionKey: (table) => (table === 'clients' ? 'client_id' : undefined) },
  );
}

const table = (name: string) => `arn:aws:dynamodb:us-west-2:${account}:table/${name}`;

const dynamodbCases: readonly [operation: string, input: object, context: object][] = [
  [
    'GetItem',
    { TableName: 'clients', Key: { client_id: key } },
    {
      'dynamodb:LeadingKeys': ['client_1'],
      'dynamodb:Attributes': ['client_id'],
      'dynamodb:Select': 'ALL_ATTRIBUTES',
    },
  ],
  [
    'GetItem',
    {
      TableName: 'other',
      Key: { id: key },
      ProjectionExpression: '#a,name',
      ExpressionAttributeNames: { '#a': 'enabled' },
    },
    { 'dynamodb:Attributes': ['enabled', 'id', 'name'], 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
  ],
  [
    'PutItem',
    {
      TableName: 'clients',
      Item: { client_id: key, name: { S: 'x' } },
      ConditionExpression: 'attribute_not_exists(client_id) OR #v = :v',
      ExpressionAttributeNames: { '#v': 'version' },
    },
    {
      'dynamodb:LeadingKeys': ['client_1'],
      'dynamodb:Attributes': ['client_id', 'name', 'version'],
    },
  ],
  [
    'UpdateItem',
    {
      TableName: 'clients',
      Key: { client_id: key },
      UpdateExpression: 'SET secrets[0].#u = :u, a.b = if_not_exists(c, :z) REMOVE d',
      ConditionExpression: 'secrets[0].id = :id AND size(e) BETWEEN :x AND :y',
      ExpressionAttributeNames: { '#u': 'used' },
      ReturnValues: 'NONE',
    },
    {
      'dynamodb:LeadingKeys': ['client_1'],
      'dynamodb:Attributes': ['a', 'c', 'client_id', 'd', 'e', 'secrets'],
      'dynamodb:ReturnValues': 'NONE',
    },
  ],
  [
    'Query',
    {
      TableName: 'clients',
      KeyConditionExpression: '#p = :p AND begins_with(sort, :s)',
      ExpressionAttributeNames: { '#p': 'client_id' },
      ExpressionAttributeValues: { ':p': key },
      ProjectionExpression: 'name',
    },
    {
      'dynamodb:LeadingKeys': ['client_1'],
      'dynamodb:Attributes': ['client_id', 'name', 'sort'],
      'dynamodb:Select': 'SPECIFIC_ATTRIBUTES',
    },
  ],
  ['Scan', { TableName: 'clients' }, {}],
];

describe('a request to DynamoDB', () => {
  it.each(dynamodbCases)('%s %j', (operation, input, context) => {
    const { TableName } = input as { readonly TableName: string };
    expect(dynamodb(operation, input)).toEqual([
      { action: `dynamodb:${operation}`, resource: table(TableName), context },
    ]);
  });

  it('of several tables is a call for each item', () => {
    const RequestItems = {
      clients: { Keys: [{ client_id: key }, { client_id: { S: 'client_2' } }] },
      other: { Keys: [{ id: key }] },
    };
    const calls = dynamodb('BatchGetItem', { RequestItems });
    expect(calls.map(({ resource }) => resource)).toEqual([
      table('clients'),
      table('clients'),
      table('other'),
    ]);
    const writes = [{ PutRequest: { Item: { client_id: key } } }];
    expect(dynamodb('BatchWriteItem', { RequestItems: { clients: writes } })).toEqual([
      {
        action: 'dynamodb:BatchWriteItem',
        resource: table('clients'),
        context: { 'dynamodb:LeadingKeys': ['client_1'], 'dynamodb:Attributes': ['client_id'] },
      },
    ]);
  });

  it.each(['ListTables', 'TransactWriteItems'])(
    '%s that names no table has no resource',
    (name) => {
      const TransactItems = [{ Put: { TableName: 'clients', Item: { client_id: key } } }];
      const call = { action: `dynamodb:${name}`, resource: '*', context: {} };
      expect(dynamodb(name, { TransactItems })).toEqual([call]);
    },
  );

  it('of a transaction cannot be evaluated, so no policy allows it', async () => {
    const [call] = dynamodb('TransactWriteItems', { TransactItems: [] });
    const Statement = [{ Effect: 'Allow', Action: '*', Resource: '*' }];
    const everything = { name: 'all', document: { Version: '2012-10-17', Statement } };
    const principal = `arn:aws:iam::${account}:user/all`;
    const request = { action: '', resource: '', context: {}, ...call, principal, account };
    await expect(evaluateRequest({ identity: [everything] }, request)).rejects.toThrow(
      /IAM cannot evaluate dynamodb:TransactWriteItems/,
    );
  });

  it.each(['', '[', '3'])('with the body %j makes no call that IAM decides', (body) => {
    const headers = { 'x-amz-target': 'DynamoDB_20120810.GetItem' };
    const request = { headers, body: Buffer.from(body), region: 'us-west-2' };
    expect(dynamodbCalls(request, { account, partitionKey: () => undefined })).toEqual([]);
  });
});
