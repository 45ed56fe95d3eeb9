import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbApiKeyStore } from '../../../adapters/dynamodb/stores/api-key-store.ts';
import { tableName } from '../../../contract/tables.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import {
  apiKeyValue,
  createApiKey,
  createProvider,
  createProviderClient,
} from '../../../lab/support/verifier-world.ts';
import { createDynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import { createVerifier } from '../../../verifier/verifier.ts';
import { type Dynalite, startDynalite, testAwsOptions } from '../adapters/dynalite.ts';

/*
 * libuv gives look-ups of hosts two of its threads, and gets none back before the system's own limit.
 * Here are two such threads, which a name below `.localhost` takes for good.
 */

const threads = 2;
const realLookup = dns.lookup;
const waiting: (() => void)[] = [];
const hanging: string[] = [];
let running = 0;

function startNext(): void {
  if (running >= threads) return;
  const next = waiting.shift();
  if (next === undefined) return;
  running += 1;
  next();
}

function lookup(hostname: string, options: object, callback: (...found: unknown[]) => void): void {
  waiting.push(() => {
    if (hostname.endsWith('.localhost')) {
      hanging.push(hostname);
      return;
    }
    realLookup(hostname, options, (...found: unknown[]) => {
      running -= 1;
      callback(...found);
      startNext();
    });
  });
  startNext();
}

let server: Dynalite;
beforeAll(async () => {
  server = await startDynalite();
  const dynamodb = createDynamoDbClient(testAwsOptions(server.endpoint));
  await createTables(dynamodb, 'test');
  const store = createDynamoDbApiKeyStore(dynamodb, tableName('test', 'apiKeys'));
  await store.createApiKey(createApiKey({ subnets: [] }));
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
});
afterAll(async () => {
  Object.assign(dns, { lookup: realLookup });
  syncBuiltinESMExports();
  await server.close();
});

const audience = 'https://api.example.com';

/** Looks up its records over a connection of its own, to a host with a name. */
function openVerifier() {
  const { region, credentials } = testAwsOptions(server.endpoint);
  const endpointDynamoDb = server.endpoint.replace('127.0.0.1', 'localhost');
  const lookups = createDynamoDbLookups({ tables: 'test', region, credentials, endpointDynamoDb });
  onTestFinished(() => lookups.close());
  const providers = {
    identityProviders: {
      findIdentityProvider: async (issuer: string) =>
        createProvider({ issuer, jwksUri: `${issuer}/keys`, owned: true, ownedBy: issuer }),
    },
    clients: { findClient: async () => createProviderClient() },
  };
  const issuer = 'https://auth.example.com';
  const options = { issuer, audience, allowLoopbackProviders: true };
  return createVerifier({ ...options, ...lookups, providers });
}

it('API keys pass while the DNS of two own providers does not answer', async () => {
  const verifier = openVerifier();
  const now = Math.floor(Date.now() / 1000);
  const key = createTestKey('ES256');
  for (const name of ['one', 'two', 'three']) {
    const iss = `https://${name}.localhost`;
    const token = signToken(key, { iss, sub: 'app-1', aud: audience, iat: now, exp: now + 60 });
    void verifier.verify({ authorization: `Bearer ${token}` }).catch(() => undefined);
  }
  while (hanging.length === 0) await setImmediate();
  const verified = await Promise.all(
    Array.from({ length: 10 }, () =>
      openVerifier().verify({ authorization: `Bearer ${apiKeyValue}` }),
    ),
  );
  expect(verified.map(({ credential }) => credential)).toEqual(
    Array.from({ length: 10 }, () => 'api_key'),
  );
  expect(hanging).toEqual(['one.localhost']);
});
