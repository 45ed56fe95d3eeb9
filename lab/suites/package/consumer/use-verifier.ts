// Uses the verifier's package, with nothing else installed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  BearerRefusal,
  createVerifier,
  type VerifiedCredential,
  type Verifier,
} from '@authorization-server-aws/verifier';
import { createDynamoDbLookups } from '@authorization-server-aws/verifier/dynamodb-lookups';
import {
  CallerMissingError,
  callerOf,
  createExpressMiddleware,
} from '@authorization-server-aws/verifier/express';
import { createFastifyHooks, type FastifyHook } from '@authorization-server-aws/verifier/fastify';
import { createHonoMiddleware, type HonoHandler } from '@authorization-server-aws/verifier/hono';

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

async function fetchToken(): Promise<string> {
  const { CLIENT_ID: id, CLIENT_SECRET: secret } = process.env;
  const response = await fetch(required('TOKEN_URL'), {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'messaging:view' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function verify(verifier: Verifier, token: string): Promise<void> {
  const caller: VerifiedCredential = await verifier.verify({ authorization: `Bearer ${token}` }, [
    'messaging:view',
  ]);
  assert.equal(caller.serviceTrunkGroup, 'demo');
  const key = { authorization: `Bearer ${required('API_KEY')}`, sourceAddress: '127.0.0.1' };
  assert.equal((await verifier.verify(key)).credential, 'api_key');
  await assert.rejects(verifier.verify({ authorization: `Bearer ${token}x` }), BearerRefusal);
}

/** node:http as Express calls its middleware. */
async function serve(verifier: Verifier, token: string): Promise<void> {
  const check = createExpressMiddleware(verifier).requireScopes('messaging:view');
  const server = createServer((request, response) => {
    assert.throws(() => callerOf(request), CallerMissingError);
    check(request, response, () => response.end(callerOf(request).serviceTrunkGroup));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accepted = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual([accepted.status, await accepted.text()], [200, 'demo']);
  const refused = await fetch(url);
  assert.equal(refused.headers.get('www-authenticate'), 'Bearer realm="platform"');
  server.close();
  server.closeAllConnections();
}

const lookups = createDynamoDbLookups({ tables: 'local' });
await lookups.checkTables();
const verifier = createVerifier({
  issuer: required('ISSUER'),
  audience: required('AUDIENCE'),
  ...lookups,
});
const token = await fetchToken();
await verify(verifier, token);
await serve(verifier, token);
const hook: FastifyHook = createFastifyHooks(verifier).requireCredential();
const handler: HonoHandler = createHonoMiddleware(verifier).requireScopes('messaging:view');
assert.equal(typeof hook, typeof handler);
lookups.close();
console.log('the verifier works');
