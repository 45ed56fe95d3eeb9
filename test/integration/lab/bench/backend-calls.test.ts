import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenPath } from '../../../../contract/routes.ts';
import { type Backend, startBackend } from '../../../../lab/bench/backend/backend.ts';
import {
  buildFunction,
  buildMeasuredRuntime,
  emptyWorkFolder,
} from '../../../../lab/bench/build.ts';
import { expectStatus } from '../../../../lab/bench/measure.ts';
import {
  backendEnvironment,
  createEvent,
  createItems,
  environments,
  tokenRequestBody,
  tokenRequestHeaders,
} from '../../../../lab/bench/scenario.ts';
import { countCalls } from '../../../../lab/bench/sections/token.ts';

let backend: Backend;

beforeAll(async () => {
  emptyWorkFolder();
  backend = await startBackend();
  await backend.command({ items: createItems(backend) });
});
afterAll(() => backend.close());

const tokenEvent = createEvent({
  method: 'POST',
  path: tokenPath,
  headers: tokenRequestHeaders(),
  body: tokenRequestBody,
});

describe('the bundled token function asks of KMS and DynamoDB', () => {
  it('exactly what a token needs, and nothing for what it refuses by itself', async () => {
    const target = {
      bundle: buildFunction('token'),
      environment: { ...backendEnvironment(backend), ...environments.token },
      event: tokenEvent,
      check: expectStatus(200),
    };
    const runtime = buildMeasuredRuntime();
    expect(await countCalls(target, { runtime, backend })).toEqual({
      'first token of a process': { GetItem: 1, Query: 1, Sign: 1 },
      token: { GetItem: 1, Sign: 1 },
      'wrong secret': { GetItem: 1 },
      'malformed request': {},
      'no credentials': {},
    });
  });
});
