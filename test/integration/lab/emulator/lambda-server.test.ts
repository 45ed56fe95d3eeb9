import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AccessKey } from '../../../../lab/emulator/aws-server/access-key.ts';
import { type EventHandler, startLambda } from '../../../../lab/emulator/lambda-server.ts';
import { testAccessKey } from '../../../support/test-access-key.ts';

function createClient(endpoint = '', credentials: AccessKey = testAccessKey): LambdaClient {
  const client = new LambdaClient({
    endpoint,
    region: 'us-west-2',
    credentials,
    maxAttempts: 1,
  });
  onTestFinished(() => client.destroy());
  return client;
}

async function invoke(
  client: LambdaClient,
  FunctionName: string,
  event: unknown,
): Promise<{ readonly error: string | undefined; readonly payload: unknown }> {
  const Payload = typeof event === 'string' ? event : JSON.stringify(event);
  const output = await client.send(new InvokeCommand({ FunctionName, Payload }));
  return {
    error: output.FunctionError,
    payload: JSON.parse(Buffer.from(output.Payload ?? []).toString()),
  };
}

describe('the local Lambda', () => {
  async function start(handler: EventHandler): Promise<LambdaClient> {
    const server = await startLambda({
      functions: new Map([['echo', handler]]),
      accessKey: testAccessKey,
    });
    onTestFinished(() => server.close());
    return createClient(server.endpoint);
  }

  it.each(['echo', 'arn:aws:lambda:us-west-2:000000000000:function:echo'])(
    'gives an event to %s and its answer back',
    async (name) => {
      const client = await start((event) => Promise.resolve({ event }));
      expect(await invoke(client, name, { a: 1 })).toEqual({ payload: { event: { a: 1 } } });
    },
  );

  it('says what a function threw', async () => {
    const client = await start(() => Promise.reject(new TypeError('no')));
    expect(await invoke(client, 'echo', {})).toEqual({
      error: 'Unhandled',
      payload: { errorType: 'TypeError', errorMessage: 'no', trace: [] },
    });
  });

  it('knows no other function', async () => {
    const client = await start(() => Promise.resolve());
    await expect(invoke(client, 'other', {})).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Function not found: other',
      $metadata: { httpStatusCode: 404 },
    });
  });

  it('refuses an event that is not JSON', async () => {
    const client = await start(() => Promise.resolve());
    await expect(invoke(client, 'echo', '{')).rejects.toMatchObject({
      name: 'InvalidRequestContentException',
    });
  });
});
