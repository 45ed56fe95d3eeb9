import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createInvokeFunction,
  FunctionFailedError,
} from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { InputError, RefusedError } from '../../../core/errors.ts';
import { RetainedKeyError } from '../../../core/key-rotation/rotation-ports.ts';
import type { RunningService } from '../../../lab/emulator/aws-server/aws-server.ts';
import { startLambda } from '../../../lab/emulator/lambda-server.ts';
import { testAccessKey } from '../../support/test-access-key.ts';

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

const invoke = (name: string, event: object = {}) =>
  createInvokeFunction(
    createLambdaClient({
      region: 'us-west-2',
      endpointLambda: server.endpoint,
      credentials: testAccessKey,
    }),
  )(name, event);

describe('invoking a function by name', () => {
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
