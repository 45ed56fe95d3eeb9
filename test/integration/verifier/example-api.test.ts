import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbApiKeyStore } from '../../../adapters/dynamodb/stores/api-key-store.ts';
import { tableName } from '../../../contract/tables.ts';
import { readApiKeyId } from '../../../core/credential/credential-value.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { requestToken, useLocalService } from '../lab/local/use-local-service.ts';

const service = useLocalService();

const invalidToken = {
  status: 401,
  challenge:
    'Bearer realm="platform", error="invalid_token", error_description="a valid access token or API key is required"',
  body: {
    error: 'invalid_token',
    error_description: 'a valid access token or API key is required',
  },
};

async function fetchToken(scope?: string): Promise<string> {
  const response = await requestToken(service(), scope === undefined ? {} : { scope });
  const { access_token } = (await response.json()) as { readonly access_token: string };
  return access_token;
}

interface Answer {
  readonly status: number;
  readonly challenge: string | null;
  readonly body: unknown;
}

async function call(
  authorization: string | undefined,
  init: RequestInit = {},
  query = '',
): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (authorization !== undefined) headers.set('authorization', authorization);
  const response = await fetch(`${service().exampleUrl}${query}`, { ...init, headers });
  expect(response.headers.get('content-type')).toBe('application/json');
  if (!response.ok) expect(response.headers.get('cache-control')).toBe('no-store');
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    body: await response.json(),
  };
}

describe('the example API', () => {
  it('takes a token of the service', async () => {
    const token = await fetchToken();
    for (const [method, status] of [
      ['GET', 200],
      ['POST', 202],
    ] as const) {
      expect(await call(`Bearer ${token}`, { method })).toMatchObject({
        status,
        body: {
          caller: {
            client_id: service().clientId,
            scope: 'messaging:view messaging:manage',
            service_trunk_group: 'demo',
            credential: 'access_token',
            issuer: service().issuer,
            jti: expect.stringMatching(/.{16}/),
          },
        },
      });
    }
  });

  it('requires the same scope with a slash at the end', async () => {
    const token = await fetchToken('messaging:view');
    const callWith = (method: string, authorization?: string) =>
      call(authorization, { method }, '/');
    expect(await callWith('GET', `Bearer ${token}`)).toMatchObject({ status: 200 });
    expect(await callWith('POST', `Bearer ${token}`)).toMatchObject({ status: 403 });
    expect(await callWith('GET')).toMatchObject({ status: 401 });
    expect(await callWith('GET', 'Bearer x')).toEqual(invalidToken);
  });

  it('takes an API key, for every method', async () => {
    for (const [method, status] of [
      ['GET', 200],
      ['POST', 202],
    ] as const) {
      expect(await call(`Bearer ${service().apiKey}`, { method })).toMatchObject({
        status,
        body: { caller: { credential: 'api_key', scope: '', service_trunk_group: 'demo' } },
      });
    }
  });

  it('answers a missing scope with 403, the challenge, and the scope', async () => {
    const token = await fetchToken('messaging:view');
    expect(await call(`Bearer ${token}`)).toMatchObject({ status: 200 });
    expect(await call(`Bearer ${token}`, { method: 'POST' })).toEqual({
      status: 403,
      challenge:
        'Bearer realm="platform", error="insufficient_scope", error_description="the access token or API key lacks a scope that this request requires"',
      body: {
        error: 'insufficient_scope',
        error_description: 'the access token or API key lacks a scope that this request requires',
        scope: 'messaging:manage',
      },
    });
  });

  const refused: readonly [string, () => Promise<string | undefined>][] = [
    ['no credential', async () => undefined],
    ['another scheme', async () => 'Basic eDp5'],
    ['a malformed header', async () => 'Bearer'],
    [
      'a token with a changed signature',
      async () => `Bearer ${(await fetchToken()).slice(0, -6)}AAAAAA`,
    ],
    ['an unknown API key', async () => `Bearer ${service().apiKey.slice(0, -1)}!`],
    ['a client secret', async () => `Bearer ${service().clientSecret}`],
    [
      'a token of another issuer',
      async () => `Bearer ${signToken(createTestKey('ES256'), { iss: 'https://x.example' })}`,
    ],
  ];

  it.each(refused)('refuses %s', async (_, authorization) => {
    expect(await call(await authorization())).toEqual(invalidToken);
  });

  it('ignores a token in the query and in a form', async () => {
    const token = await fetchToken();
    expect(await call(undefined, {}, `?access_token=${token}`)).toEqual(invalidToken);
    const body = new URLSearchParams({ access_token: token });
    expect(await call(undefined, { method: 'POST', body })).toEqual(invalidToken);
  });

  it('answers another method with 405, once it knows who asks', async () => {
    expect(await call(`Bearer ${service().apiKey}`, { method: 'PUT' })).toMatchObject({
      status: 405,
    });
    expect(await call(undefined, { method: 'PUT' })).toEqual(invalidToken);
  });

  it('does not accept an API key at the token endpoint, nor a client secret here', async () => {
    const { tokenUrl, apiKey, clientId } = service();
    const response = await fetch(tokenUrl, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    expect(response.status).toBe(401);
  });

  it('refuses two Authorization headers', async () => {
    const { exampleUrl, apiKey } = service();
    const url = new URL(exampleUrl);
    const socket = connect(Number(url.port), '127.0.0.1');
    const header = `Authorization: Bearer ${apiKey}\r\n`;
    socket.end(
      `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n${header}${header}Connection: close\r\n\r\n`,
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('follows the ACL of an API key at once, and no header that claims an address', async () => {
    const { aws, apiKey } = service();
    const dynamodb = createDynamoDbClient(aws);
    try {
      const store = createDynamoDbApiKeyStore(dynamodb, tableName('local', 'apiKeys'), {
        consistentRead: true,
      });
      const key = await store.find(readApiKeyId(apiKey) ?? '');
      if (key === undefined) throw new Error('the demonstration key is gone');
      const subnet = { subnetId: 'subnet_0000000000000000000001', name: 'office' };
      const office = { ...subnet, address: '10.0.0.0', prefixLength: 8 };
      const loopback = { ...subnet, address: '127.0.0.0', prefixLength: 8 };
      await store.replace({ ...key, subnets: [office], version: key.version + 1 });
      const headers = { 'x-forwarded-for': '10.0.0.1', forwarded: 'for=10.0.0.1' };
      expect(await call(`Bearer ${apiKey}`, { headers })).toEqual(invalidToken);
      await store.replace({ ...key, subnets: [loopback], version: key.version + 2 });
      expect(await call(`Bearer ${apiKey}`)).toMatchObject({ status: 200 });
      await store.replace({ ...key, enabled: false, version: key.version + 3 });
      expect(await call(`Bearer ${apiKey}`)).toEqual(invalidToken);
    } finally {
      dynamodb.destroy();
    }
  });
});

describe('addresses in a token', () => {
  const seen: string[] = [];
  let server: Server;

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request.url ?? '');
      response.end();
    });
    await listenOnLoopback(server);
  });

  afterAll(() => server.close());

  it('are never opened', async () => {
    const { port } = server.address() as AddressInfo;
    const base = `http://127.0.0.1:${port}`;
    const key = createTestKey('RS256');
    const claims = { iss: service().issuer, aud: 'https://api.example.com', exp: 4_000_000_000 };
    const tokens = [
      signToken(key, claims, { jku: `${base}/jku` }),
      signToken(key, claims, { x5u: `${base}/x5u` }),
      signToken(key, claims, { jwk: key.jwk, jku: `${base}/both` }),
      signToken(key, { ...claims, iss: base }),
      signToken(key, { ...claims, iss: base.replace('http', 'https') }),
      signToken(key, { ...claims, iss: `${base}/.well-known/openid-configuration` }),
    ];
    for (const token of tokens) expect(await call(`Bearer ${token}`)).toEqual(invalidToken);
    expect(seen).toEqual([]);
  });
});
