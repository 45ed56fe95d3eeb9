import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FunctionFailedError } from '../../../adapters/lambda/invocation.ts';
import { createFunctionCaller } from '../../../adapters/lambda/invoke-from-function.ts';
import { createSdkCaller } from '../../../adapters/lambda/invoke-function.ts';
import { InputError, RefusedError, UnavailableError } from '../../../core/errors.ts';
import { RetainedKeyError } from '../../../core/key-rotation/rotation-ports.ts';
import type { RunningService } from '../../../lab/emulator/aws-server/aws-server.ts';
import { startLambda } from '../../../lab/emulator/lambda-server.ts';
import { hangLimit } from '../../../lab/support/hang-limit.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
import { type Answer, answer, hangUp, startScriptedService } from '../aws-json/scripted-service.ts';

const keys = {
  AWS_REGION: 'us-west-2',
  AWS_ACCESS_KEY_ID: testAccessKey.accessKeyId,
  AWS_SECRET_ACCESS_KEY: testAccessKey.secretAccessKey,
};

let server: RunningService;

const functions = new Map([
  ['echo', async (event: unknown) => event],
  ['nothing', async () => undefined],
  ['refuses', () => Promise.reject(new RefusedError('not now'))],
  ['retains', () => Promise.reject(new RetainedKeyError('it is in use'))],
  ['dislikes', () => Promise.reject(new InputError('what is this'))],
  ['breaks', () => Promise.reject(new TypeError('x is not a function'))],
]);

beforeAll(async () => {
  server = await startLambda({ functions, accessKey: testAccessKey });
});
afterAll(() => server.close());

const callers = {
  "the SDK's client": () =>
    createSdkCaller({
      region: 'us-west-2',
      endpointLambda: server.endpoint,
      credentials: testAccessKey,
    }),
  'the client of a function': () =>
    createFunctionCaller({ ...keys, AWS_ENDPOINT_URL_LAMBDA: server.endpoint }, hangLimit),
};

describe.each(Object.entries(callers))('invoking a function with %s', (_, createCaller) => {
  const invoke = (name: string, event: object = {}) => createCaller().invoke(name, event);

  it('carries the event there and the answer back', async () => {
    const event = { action: 'reconcile', list: [1, { two: 'ü' }] };
    expect(await invoke('echo', event)).toEqual(event);
  });

  it('takes a function without an answer', async () => {
    expect(await invoke('nothing')).toBeNull();
  });

  it.each([
    ['refuses', RefusedError, 'not now'],
    ['retains', RefusedError, 'it is in use'],
    ['dislikes', InputError, 'what is this'],
    ['breaks', FunctionFailedError, 'breaks failed: x is not a function'],
  ] as const)('gives the error of one that %s its meaning', async (name, type, message) => {
    await expect(invoke(name)).rejects.toThrow(type);
    await expect(invoke(name)).rejects.toThrow(message);
  });

  it('says that there is no such function', async () => {
    await expect(invoke('unknown')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('the connection of a function to Lambda', () => {
  const done = answer(200, { done: true });

  async function callerOf(script: readonly Answer[]) {
    const service = await startScriptedService(script);
    onTestFinished(() => service.close());
    const variables = { AWS_ENDPOINT_URL: service.url, AWS_SESSION_TOKEN: 'session' };
    return { service, caller: createFunctionCaller({ ...keys, ...variables }, hangLimit) };
  }

  it('is kept, and each request is signed with the session token', async () => {
    const { service, caller } = await callerOf([done]);
    await caller.invoke('arn:aws:lambda:us-west-2:111122223333:function:a:portal', {});
    await caller.invoke('arn:aws:lambda:us-west-2:111122223333:function:a:portal', {});
    expect(service.connections()).toBe(1);
    expect(service.requests[1]?.headers).toMatchObject({
      'x-amz-security-token': 'session',
      authorization: expect.stringContaining('/us-west-2/lambda/aws4_request'),
    });
  });

  it('is no reason to invoke twice if it was closed meanwhile', async () => {
    const { service, caller } = await callerOf([done, hangUp, done]);
    await caller.invoke('a', {});
    await expect(caller.invoke('a', {})).rejects.toThrow(UnavailableError);
    expect(service.requests).toHaveLength(2);
  });
});
