import { expect, it } from 'vitest';
import { readAwsCall } from '../../../../lab/emulator/faults/aws-call.ts';
import type { HttpResponse } from '../../../../lab/emulator/http-exchange.ts';
import { ItemHistory } from '../../../../lab/emulator/replication/item-history.ts';
import { createReplica } from '../../../../lab/emulator/replication/replica.ts';

const present = { client_id: { S: 'c' }, enabled: { BOOL: false }, secrets: { M: {} } };
const before = { client_id: { S: 'c' }, enabled: { BOOL: true }, secrets: { M: {} } };

function answerOf(body: object): HttpResponse {
  return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) };
}

it('shows an earlier item with the attributes that the read asks for', async () => {
  const history = new ItemHistory();
  const dynamodb = { call: async () => answerOf({ Item: before }) };
  const readPast = createReplica({ history, dynamodb, lag: 1000, clock: () => 5000 });
  const callOf = (operation: string, more: object) =>
    readAwsCall(
      'dynamodb',
      { 'x-amz-target': `DynamoDB_20120810.${operation}` },
      Buffer.from(
        JSON.stringify({ TableName: 'test-clients', Key: { client_id: { S: 'c' } }, ...more }),
      ),
    );
  await readPast(callOf('UpdateItem', {}), async () => answerOf({}), undefined);
  const read = callOf('GetItem', {
    ProjectionExpression: '#0,enabled',
    ExpressionAttributeNames: { '#0': 'client_id' },
  });
  const { body } = await readPast(read, async () => answerOf({ Item: present }), undefined);
  expect(JSON.parse(body.toString())).toEqual({
    Item: { client_id: { S: 'c' }, enabled: { BOOL: true } },
  });
});
