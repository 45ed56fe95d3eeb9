import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { callAws } from '../../../adapters/aws-errors.ts';
import {
  type AwsJsonClient,
  createAwsJsonClient,
} from '../../../adapters/aws-json/aws-json-client.ts';
import { callProfiles } from '../../../adapters/call-profile.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import {
  type Answer,
  answer,
  hangUp,
  type ScriptedService,
  startScriptedService,
} from './scripted-service.ts';

// A busy machine takes its time.
const times = { connectionTimeout: 20_000, requestTimeout: 20_000, retryDelay: 1 };
const profile = { ...callProfiles.request, ...times };
const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };

let service: ScriptedService;
let client: AwsJsonClient;

async function start(
  script: readonly Answer[],
  options: Partial<Parameters<typeof createAwsJsonClient>[0]> = {},
): Promise<void> {
  service = await startScriptedService(script);
  client = createAwsJsonClient({
    service: 'dynamodb',
    profile,
    maxSockets: 10,
    ...options,
    environment: {
      AWS_REGION: 'us-west-2',
      AWS_ENDPOINT_URL: service.url,
      ...keys,
      ...options.environment,
    },
  });
  onTestFinished(async () => {
    client.close();
    await service.close();
  });
}

const call = (signal?: AbortSignal) => client.call('GetItem', { TableName: 'clients' }, { signal });

const done = answer(200, { Item: {} });

afterEach(() => client.close());

describe('a call', () => {
  it('sends operation and input, signed, and gives the output', async () => {
    await start([done], { environment: { AWS_SESSION_TOKEN: 'session' } });
    await expect(call()).resolves.toEqual({ Item: {} });
    expect(service.requests).toMatchObject([
      {
        body: '{"TableName":"clients"}',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'DynamoDB_20120810.GetItem',
          'x-amz-security-token': 'session',
          authorization: expect.stringContaining('/us-west-2/dynamodb/aws4_request'),
        },
      },
    ]);
  });

  it('keeps its connection', async () => {
    await start([done]);
    await call();
    await call();
    expect(service.connections()).toBe(1);
  });

  it('uses the connection that was opened ahead', async () => {
    await start([done]);
    client.open();
    await expect.poll(() => service.connections()).toBe(1);
    await call();
    expect(service.connections()).toBe(1);
  });

  it('opens another if the one opened ahead is gone', async () => {
    await start([done]);
    client.open();
    await expect.poll(() => service.connections()).toBe(1);
    const { url } = service;
    await service.close();
    const second = createAwsJsonClient({
      service: 'kms',
      environment: { AWS_REGION: 'us-west-2', AWS_ENDPOINT_URL: url, ...keys },
      profile,
      maxSockets: 1,
    });
    second.open();
    // No one listens there now: the error comes with the call, and not before it.
    await expect(second.call('Sign', {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    second.close();
  });

  it.each([
    ['AccessDeniedException', 400],
    ['ConditionalCheckFailedException', 400],
    ['ValidationException', 400],
  ])('is not made again after %s', async (code, status) => {
    const body = { __type: `com.amazonaws.dynamodb.v20120810#${code}`, message: 'no' };
    await start([answer(status, body, { 'x-amzn-RequestId': 'r-1' })]);
    await expect(call()).rejects.toMatchObject({
      name: code,
      message: 'no',
      $metadata: { httpStatusCode: status, requestId: 'r-1', attempts: 1 },
    });
    expect(service.requests).toHaveLength(1);
  });

  it.each(['<html>', '', '{"Item":{"hash":sha256$HASH}}'])(
    'takes an answer that is not JSON for an outage, and quotes none of it: %j',
    async (text) => {
      const page: Answer = (response) => response.writeHead(200).end(text);
      await start([page]);
      const error = await callAws('DynamoDB', 'read', () => call()).catch(
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(UnavailableError);
      expect(service.requests).toHaveLength(3);
      expect(inspect(error, { depth: 9 })).not.toMatch(/html|HASH/);
      await start([page, done]);
      await expect(call()).resolves.toEqual({ Item: {} });
    },
  );

  it('ends if a connection is taken and TLS never begins', async () => {
    const mute = createServer();
    const port = await listenOnLoopback(mute);
    onTestFinished(() => void mute.close());
    const url = `https://127.0.0.1:${port}`;
    await start([], {
      profile: { ...profile, requestTimeout: 150, maxAttempts: 1 },
      environment: { AWS_ENDPOINT_URL: url },
    });
    await expect(call()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('finds a connection closed that was kept, and opens another at once', async () => {
    await start([done, hangUp, done], { profile: { ...profile, maxAttempts: 1 } });
    await call();
    await expect(call()).resolves.toEqual({ Item: {} });
    expect(service.connections()).toBe(2);
  });
});

describe('the clock', () => {
  it("is corrected by the service's once and for all", async () => {
    const serverTime = Date.UTC(2026, 10, 20, 12, 0, 0);
    const date = new Date(serverTime).toUTCString();
    const expired = answer(400, { __type: 'InvalidSignatureException' }, { Date: date });
    await start([expired, done], { clock: () => serverTime - 20 * 60_000 });
    await call();
    await call();
    expect(service.requests.map(({ headers }) => headers['x-amz-date'])).toEqual([
      '20261120T114000Z',
      '20261120T120000Z',
      '20261120T120000Z',
    ]);
  });

  it('is left alone if it is right, and then a bad signature is not tried again', async () => {
    await start([answer(403, { __type: 'InvalidSignatureException' })]);
    await expect(call()).rejects.toMatchObject({ name: 'InvalidSignatureException' });
    expect(service.requests).toHaveLength(1);
  });
});
