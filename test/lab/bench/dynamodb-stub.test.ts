import { beforeEach, describe, expect, it } from 'vitest';
import { DynamoDbStub } from '../../../lab/bench/backend/dynamodb-stub.ts';

let stub: DynamoDbStub;

beforeEach(() => {
  stub = new DynamoDbStub();
  stub.replaceItems([{ table: 'clients', key: 'a', item: { client_id: 'a', name: 'A', age: 1 } }]);
});

const get = (more: object = {}, key = 'a') =>
  stub.reply(
    'GetItem',
    JSON.stringify({ TableName: 'clients', Key: { client_id: { S: key } }, ...more }),
  );

describe('GetItem of the DynamoDB stub', () => {
  it('returns the whole item', () => {
    expect(get()).toEqual({
      Item: { client_id: { S: 'a' }, name: { S: 'A' }, age: { N: '1' } },
    });
  });

  it('returns only the attributes that are asked for', () => {
    const asked = {
      ProjectionExpression: '#0, age',
      ExpressionAttributeNames: { '#0': 'client_id' },
    };
    expect(get(asked)).toEqual({ Item: { client_id: { S: 'a' }, age: { N: '1' } } });
  });

  it('returns nothing for a key that has no item', () => {
    expect(get({}, 'b')).toEqual({});
  });
});
