import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbApiKeyStore } from '../../../adapters/dynamodb/stores/api-key-store.ts';
import { createGuardedFetch } from '../../../adapters/https/json-request.ts';
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
 * A DNS server that answers only about `good.localhost`. libuv gives the system's own look-ups two of
 * its threads, and gets none back before the system's limit: here they are only seen.
 */

const realLookup = dns.lookup;
const realServers = dns.getServers();
const seen = vi.fn<(hostname: string) => void>();
const asked = new Set<string>();

function lookup(hostname: string, ...rest: unknown[]): unknown {
  seen(hostname);
  return Reflect.apply(realLookup, dns, [hostname, ...rest]);
}

/** An answer with one address, or none for AAAA (RFC 1035 §4.1). */
function answer(query: Buffer, end: number, address: readonly number[]): Buffer {
  const isAddress = query.readUInt16BE(end + 1) === 1;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(isAddress ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]);
  const question = query.subarray(12, end + 5);
  return Buffer.concat([header, question, ...(isAddress ? [record] : [])]);
}

const dnsServer = createSocket('udp4').on('message', (query, { port, address }) => {
  const end = query.indexOf(0, 12);
  const name = query
    .subarray(13, end)
    .toString('latin1')
    .replace(/[^\w-]/g, '.');
  asked.add(name);
  const found = { 'good.localhost': [127, 0, 0, 1], 'private.localhost': [10, 0, 0, 1] }[name];
  if (found !== undefined) dnsServer.send(answer(query, end, found), port, address);
});

let server: Dynalite;
beforeAll(async () => {
  server = await startDynalite();
  const dynamodb = createDynamoDbClient(testAwsOptions(server.endpoint));
  await createTables(dynamodb, 'test');
  const store = createDynamoDbApiKeyStore(dynamodb, tableName('test', 'apiKeys'));
  await store.create(createApiKey({ subnets: [] }));
  await new Promise<void>((resolve) => {
    dnsServer.bind(0, '127.0.0.1', resolve);
  });
  dns.setServers([`127.0.0.1:${dnsServer.address().port}`]);
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
});
afterAll(async () => {
  Object.assign(dns, { lookup: realLookup });
  syncBuiltinESMExports();
  dns.setServers(realServers);
  dnsServer.close();
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
  while (asked.size < 3) await setImmediate();
  const verified = await Promise.all(
    Array.from({ length: 10 }, () =>
      openVerifier().verify({ authorization: `Bearer ${apiKeyValue}` }),
    ),
  );
  expect(verified.map(({ credential }) => credential)).toEqual(
    Array.from({ length: 10 }, () => 'api_key'),
  );
  expect(new Set(seen.mock.calls.flat())).toEqual(new Set(['localhost']));
});

it.each([
  ['good', 'unreachable'],
  ['private', 'address'],
] as const)('a host of another owner (%s) does not wait for them', async (name, problem) => {
  const fetchJson = createGuardedFetch({ allowLoopback: true });
  const options = { isOwn: true };
  void fetchJson('https://mute.localhost:8443/', options).catch(() => undefined);
  while (!asked.has('mute.localhost')) await setImmediate();
  // Nothing listens there.
  const fetched = fetchJson(`https://${name}.localhost:8443/`, options);
  await expect(fetched).rejects.toMatchObject({ problem });
});
