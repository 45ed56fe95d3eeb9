import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CredentialsError } from '../../../adapters/credentials/credential-provider.ts';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { toClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import { createDynamoDbApiKeyStore } from '../../../adapters/dynamodb/stores/api-key-store.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import { createDynamoDbIdentityProviderStore } from '../../../adapters/dynamodb/stores/identity-provider-store.ts';
import { tableName } from '../../../contract/tables.ts';
import type { ApiKey } from '../../../core/api-key/api-key.ts';
import type { Client } from '../../../core/client/client.ts';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import { InputError, UnavailableError } from '../../../core/errors.ts';
import { givenKeysUri } from '../../../core/identity-provider/given-keys.ts';
import { clientIdOf } from '../../../lab/support/clients.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import {
  createDynamoDbLookups,
  type DynamoDbLookupOptions,
} from '../../../verifier/dynamodb-lookups.ts';
import { createVerifier } from '../../../verifier/verifier.ts';
import { clientAttributes } from '../../lib/reader-condition.ts';
import { answer, startScriptedService } from '../aws-json/scripted-service.ts';
import { type Dynalite, startDynalite, testAwsOptions } from './dynalite.ts';

let server: Dynalite;
let dynamodb: ReturnType<typeof createDynamoDbClient>;

beforeAll(async () => {
  server = await startDynalite();
  dynamodb = createDynamoDbClient(testAwsOptions(server.endpoint));
  await createTables(dynamodb, 'test');
});
afterAll(() => server.close());

function open(options: DynamoDbLookupOptions = {}) {
  const { region, endpointDynamoDb, credentials } = testAwsOptions(server.endpoint);
  const lookups = createDynamoDbLookups({
    tables: 'test',
    region,
    endpointDynamoDb,
    credentials,
    ...options,
  });
  onTestFinished(() => lookups.close());
  return lookups;
}

const key: ApiKey = {
  keyId: 'key_0000000000000000000007',
  name: 'Partner',
  serviceTrunkGroup: 'tg-1',
  hash: 'a'.repeat(64),
  subnets: [],
  createdAt: 1_800_000_000,
  updatedAt: 1_800_000_000,
  version: 1,
};

const client: Client = {
  clientId: 'client_0000000000000000000007',
  name: 'Billing',
  serviceTrunkGroup: 'tg-1',
  audiences: ['https://api.example.com'],
  tokenLifetime: 3600,
  scopes: ['messaging:view'],
  secrets: [{ secretId: 'secret_1', hash: `sha256:${'0'.repeat(64)}`, createdAt: 1_800_000_000 }],
  createdAt: 1_800_000_000,
  updatedAt: 1_800_000_000,
  version: 1,
};

describe('look-ups in DynamoDB', () => {
  it('see a revocation at once without a cache, and within its seconds with one', async () => {
    const store = createDynamoDbApiKeyStore(dynamodb, tableName('test', 'apiKeys'));
    await store.create(key);
    let now = 0;
    const plain = open();
    const cached = open({ cacheSeconds: 3, monotonicClock: () => now });
    const enabled = async (lookups: typeof plain) =>
      (await lookups.apiKeys.findApiKey(key.keyId))?.stops === undefined;
    expect([await enabled(plain), await enabled(cached)]).toEqual([true, true]);
    await store.replace({ ...key, stops: personStop, version: 2 });
    expect([await enabled(plain), await enabled(cached)]).toEqual([false, true]);
    now = 2999;
    expect(await enabled(cached)).toBe(true);
    now = 3000;
    expect(await enabled(cached)).toBe(false);
  });

  it('refuse an item of an earlier release, which could be a disabled client', async () => {
    const [Item, TableName] = [toClientItem(client), tableName('test', 'clients')];
    await dynamodb.put({ TableName, Item: { ...Item, enabled: false } });
    onTestFinished(async () => {
      await dynamodb.delete({ TableName, Key: { client_id: client.clientId } });
    });
    await expect(open().providers.clients.findClient(client.clientId)).rejects.toThrow(
      'enabled: expected no such attribute',
    );
  });

  it('read of a client what a platform API may know, and its changes', async () => {
    const store = createDynamoDbClientStore(dynamodb, tableName('test', 'clients'));
    await store.create(client);
    let now = 0;
    const find = async (lookups: ReturnType<typeof open>) =>
      lookups.providers.clients.findClient(client.clientId);
    const plain = open();
    const cached = open({ cacheSeconds: 3, monotonicClock: () => now });
    const { clientId, serviceTrunkGroup, audiences, scopes } = client;
    const known = { clientId, serviceTrunkGroup, audiences, scopes, provider: undefined };
    expect(await find(cached)).toEqual({ ...known, tokensNotBefore: undefined });
    await store.replace({ ...client, tokensNotBefore: 1_800_000_007, version: 2 });
    await store.replace({
      ...client,
      tokensNotBefore: 1_800_000_007,
      stops: personStop,
      version: 3,
    });
    expect(await find(plain)).toEqual({
      ...known,
      stops: personStop,
      tokensNotBefore: 1_800_000_007,
    });
    expect(await find(cached)).not.toHaveProperty('stops');
    await store.delete(clientId, 3);
    expect(await find(plain)).toBeUndefined();
    now = 3000;
    expect(await find(cached)).toBeUndefined();
  });

  it('find the keys that were given for a provider, so that a verifier accepts its tokens', async () => {
    const key = createTestKey('ES256');
    const [iss, registrationId] = ['https://idp.cluster.local', 'idp_7'];
    const providers = createDynamoDbIdentityProviderStore(
      dynamodb,
      tableName('test', 'identityProviders'),
    );
    const uris = { issuer: iss, discoveryUrl: iss, jwksUri: givenKeysUri(iss) };
    const registration = { registrationId, allowedAlgorithms: ['ES256'], registeredAt: 1 };
    await providers.createIdentityProvider({ ...uris, ...registration });
    const jwks = JSON.stringify({ keys: [{ ...key.jwk, use: 'sig' }] });
    await providers.putGivenKeys({ issuer: iss, registrationId, jwks, version: 1, updatedAt: 1 });
    const provider = { issuer: iss, registrationId, externalClientId: 'erp' };
    const clientId = deriveProviderClientId(iss, 'erp');
    const clients = createDynamoDbClientStore(dynamodb, tableName('test', 'clients'));
    await clients.create({ ...client, clientId, provider, secrets: [] });
    const [aud] = client.audiences;
    const verifier = createVerifier({
      issuer: 'http://localhost:9',
      audience: String(aud),
      ...open(),
    });
    const now = Math.floor(Date.now() / 1000);
    const token = signToken(key, { iss, sub: 'erp', aud, iat: now, exp: now + 60 });
    const verified = await verifier.verify({ authorization: `Bearer ${token}` });
    expect(verified).toMatchObject({ clientId, issuer: iss });
  });

  it('name the attributes of several clients, and never their secrets', async () => {
    const service = await startScriptedService([
      answer(200, { Responses: { 'test-clients': [] }, UnprocessedKeys: {} }),
    ]);
    onTestFinished(() => service.close());
    const { clients } = open({ endpointDynamoDb: service.url }).providers;
    const ids = [clientIdOf(1), clientIdOf(2)];
    const found = await Promise.all(ids.map((id) => clients.findClient(id)));
    expect(found).toEqual([undefined, undefined]);
    const [request] = service.requests;
    expect(request?.headers['x-amz-target']).toBe('DynamoDB_20120810.BatchGetItem');
    const body = JSON.parse(request?.body ?? '') as { RequestItems: Record<string, object> };
    expect(body.RequestItems['test-clients']).toMatchObject({
      Keys: ids.map((S) => ({ client_id: { S } })),
      ProjectionExpression: expect.stringMatching(/^#0,/),
    });
    expect(request?.body).not.toContain('secrets');
  });

  it('are read one by one if the role may not read several at once, which is told once', async () => {
    const denied = answer(400, { __type: 'AccessDeniedException', message: 'no' });
    const service = await startScriptedService([answer(200), answer(200), answer(200), denied]);
    onTestFinished(() => service.close());
    const refusals: unknown[] = [];
    const lookups = open({
      endpointDynamoDb: service.url,
      onReadOneByOne: (error) => refusals.push((error as Error).name),
    });
    await lookups.checkTables();
    expect(refusals).toEqual(['AccessDeniedException']);
  });

  it('never ask for the hashes of secrets', async () => {
    const service = await startScriptedService([answer(200), answer(200)]);
    onTestFinished(() => service.close());
    const lookups = open({ endpointDynamoDb: service.url });
    await lookups.providers.clients.findClient('client_1');
    const [request] = service.requests;
    const { ProjectionExpression: asked, ExpressionAttributeNames: names } = JSON.parse(
      request?.body ?? '',
    ) as { ProjectionExpression: string; ExpressionAttributeNames: Record<string, string> };
    expect(asked.split(',').map((name) => names[name])).toEqual(clientAttributes);
  });

  it.each([-1, 61, Number.NaN])('refuse a cache of %s seconds', (cacheSeconds) => {
    expect(() => open({ cacheSeconds })).toThrow(`cacheSeconds: received ${cacheSeconds}; allowed`);
  });

  it('sign for the region of an ARN, and name the table by it', async () => {
    const service = await startScriptedService([answer(200)]);
    onTestFinished(() => service.close());
    const prefix = 'arn:aws:dynamodb:eu-west-1:111122223333:table/auth';
    const { endpointDynamoDb, region } = { endpointDynamoDb: service.url, region: undefined };
    await open({ tables: prefix, endpointDynamoDb, region }).apiKeys.findApiKey('key_1');
    const [request] = service.requests;
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ TableName: `${prefix}-api-keys` });
    expect(request?.headers.authorization).toContain('/eu-west-1/dynamodb/aws4_request');
  });

  it('take credentials from a function, at each request', async () => {
    const service = await startScriptedService([answer(200)]);
    onTestFinished(() => service.close());
    let calls = 0;
    const lookups = open({
      endpointDynamoDb: service.url,
      credentials: async () => {
        calls += 1;
        return { accessKeyId: `KEY${calls}`, secretAccessKey: 's', sessionToken: 't' };
      },
    });
    await lookups.apiKeys.findApiKey('key_1');
    await lookups.apiKeys.findApiKey('key_1');
    expect(
      service.requests.map(
        ({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1],
      ),
    ).toEqual(['KEY1', 'KEY2']);
  });

  it.each([
    [{ tables: 'a b' }, /tables: received "a b"; allowed: the beginning of the table names/],
    [
      { tables: 'arn:aws:dynamodb:eu-west-1:111122223333:table/auth' },
      /region: received "us-west-2"; allowed: "eu-west-1"/,
    ],
  ])('refuse %o', (options, message) => {
    expect(() => open(options)).toThrow(message);
  });
});

it('look for a region when they are first used, because a build has none', async () => {
  for (const name of ['AWS_REGION', 'AWS_PROFILE']) vi.stubEnv(name, '');
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  const lookups = createDynamoDbLookups();
  await expect(lookups.apiKeys.findApiKey('key_1')).rejects.toThrow('AWS_REGION: received nothing');
  await expect(lookups.checkTables()).rejects.toThrow(InputError);
  lookups.close();
});

describe('the check of the tables', () => {
  it('passes if all three answer', async () => {
    await expect(open().checkTables()).resolves.toBeUndefined();
  });

  it('names a table that is not there', async () => {
    const error = await open({ tables: 'tset' })
      .checkTables()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect(String(error)).toContain('there is no table "tset-api-keys" in us-west-2');
  });

  it('looks at each of the three', async () => {
    await createTables(dynamodb, 'partial');
    await dynamodb.send(
      new DeleteTableCommand({ TableName: tableName('partial', 'identityProviders') }),
    );
    await expect(open({ tables: 'partial' }).checkTables()).rejects.toThrow(
      'there is no table "partial-identity-providers"',
    );
  });

  it.each([
    ['AccessDeniedException', /may not read the table "test-api-keys"; they need dynamodb:GetItem/],
    ['UnrecognizedClientException', /AWS does not know the credentials/],
    ['InvalidSignatureException', /AWS refuses the signature/],
    ['ExpiredTokenException', /have expired/],
    ['ValidationException', /is not one of the authorization server/],
  ])('explains %s', async (code, message) => {
    const service = await startScriptedService([
      answer(400, { __type: `com.amazon.coral.service#${code}`, message: 'x' }),
    ]);
    onTestFinished(() => service.close());
    await expect(open({ endpointDynamoDb: service.url }).checkTables()).rejects.toThrow(message);
  });

  it('says that credentials are missing, and which there can be', async () => {
    const lookups = open({
      credentials: () => {
        throw new CredentialsError('there are none');
      },
    });
    await expect(lookups.checkTables()).rejects.toThrow(
      /^AWS credentials: there are none; allowed: AWS_ACCESS_KEY_ID and/,
    );
  });

  it('is an outage, not a mistake, if DynamoDB does not answer', async () => {
    const lookups = open({ endpointDynamoDb: 'http://127.0.0.1:1' });
    await expect(lookups.checkTables()).rejects.toBeInstanceOf(UnavailableError);
  });
});
