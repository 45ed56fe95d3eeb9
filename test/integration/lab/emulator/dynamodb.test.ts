import { connect } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDynamoDb } from '../../../../lab/emulator/dynamodb.ts';
import { testAccessKey } from '../../../support/test-access-key.ts';

function createClient(endpoint: string): DynamoDBClient {
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-west-2',
    credentials: testAccessKey,
    maxAttempts: 1,
  });
  onTestFinished(() => client.destroy());
  return client;
}

describe('the local DynamoDB', () => {
  it('outlives a caller that goes away amid its request', async () => {
    const server = await startDynamoDb({ accessKey: testAccessKey });
    onTestFinished(() => server.close());
    await new Promise<void>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{', () =>
          socket.resetAndDestroy(),
        );
      });
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
    const { TableNames } = await createClient(server.endpoint).send(new ListTablesCommand({}));
    expect(TableNames).toEqual([]);
  });
});
