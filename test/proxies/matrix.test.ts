import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { callerHeaders } from '../../contract/caller-headers.ts';
import { type ProxyName, proxyNames } from '../../lab/suites/proxies/find-proxies.ts';
import { stepLimit } from '../../lab/support/hang-limit.ts';
import { headerValues } from '../../verifier/received-authorization.ts';
import {
  type Answer,
  bearer,
  type RawHeaders,
  send,
} from '../integration/verifier/forward-auth/use-forward-auth.ts';
import { callerVariables, lenientPath } from './echo-service.ts';
import { type ProxyProgram, type RunningProxy, startProxy } from './proxy-process.ts';
import { sendRaw } from './raw-request.ts';
import { useProxyWorld } from './world.ts';

const programs = JSON.parse(process.env['PROXIES'] ?? '{}') as Partial<
  Record<ProxyName, ProxyProgram>
>;
const names = Object.values(callerHeaders);
const world = useProxyWorld();

/** What a service sees of a caller, as CGI's variables. */
const callers = {
  token: () => ({
    X_AUTH_CREDENTIAL: ['access_token'],
    X_AUTH_CLIENT_ID: [world().clientId],
    X_AUTH_SCOPE: ['messaging:view'],
    X_AUTH_SERVICE_TRUNK_GROUP: ['demo'],
    X_AUTH_ISSUER: [world().issuer],
  }),
  provider: () => ({
    X_AUTH_CREDENTIAL: ['access_token'],
    X_AUTH_CLIENT_ID: [world().providerClientId],
    X_AUTH_SCOPE: ['messaging:view'],
    X_AUTH_SERVICE_TRUNK_GROUP: ['tg-7'],
    X_AUTH_ISSUER: [world().providerIssuer],
  }),
  key: () => ({
    X_AUTH_CREDENTIAL: ['api_key'],
    X_AUTH_SERVICE_TRUNK_GROUP: ['demo'],
    X_AUTH_KEY_ID: [expect.stringMatching(/^key_/)],
  }),
  scopedKey: () => ({
    X_AUTH_CREDENTIAL: ['api_key'],
    X_AUTH_SCOPE: ['messaging:view'],
    X_AUTH_SERVICE_TRUNK_GROUP: ['tg-9'],
    X_AUTH_KEY_ID: [expect.stringMatching(/^key_/)],
  }),
};

/** An address that the office's API key accepts, claimed in every header that names addresses. */
const forgedSource: RawHeaders = [
  'X-Forwarded-For',
  'X-Real-IP',
  'Client-IP',
  'X-Client-IP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'X-Envoy-External-Address',
].flatMap((header) => [header, '192.0.2.7']);

/** Characters that CGI and its relatives turn into the underscore of a variable's name. */
const aliasCharacters = ['_', '.', '!', '~', '+', '*', '|', '^', "'"];

const aliases = aliasCharacters.flatMap((character) => [
  callerHeaders.clientId.replaceAll('-', character),
  callerHeaders.clientId.replace('-', character),
  `X-Auth${character}Client${character}Id`,
]);

/** Ways to write /numbers that begin like another path, or that hide what it is. */
const pathTricks = ['/messages', '/health', '/status'].flatMap((base) => [
  `${base}/../numbers`,
  `${base}/..%2fnumbers`,
  `${base}/..%2Fnumbers`,
  `${base}%2f..%2fnumbers`,
  `${base}/%2e%2e/numbers`,
  `${base}/%2e%2e%2fnumbers`,
  `${base}/%252e%252e/numbers`,
  `${base}/..%252fnumbers`,
  `${base}/..;/numbers`,
  `${base};/../numbers`,
  `${base}/..;x=y/numbers`,
  `${base}/..\\numbers`,
  `${base}\\..\\numbers`,
  `${base}/..%5cnumbers`,
  `${base}//../numbers`,
  `${base}/.//../numbers`,
  `${base}/x/../../numbers`,
  `${base}/../numbers?x=${base}`,
  `${base}/..%00/numbers`,
]);

const numbersTricks = [
  '//numbers',
  '/./numbers',
  '/numbers/',
  '/numbers/.',
  '/numbers;a=b',
  '/NUMBERS',
  '/Numbers',
  '/%6eumbers',
  '/numbers%00',
  '/numbers%2f',
  '/numbers?x=/messages',
  '/x/../numbers',
  'http://127.0.0.1/numbers',
  'http://127.0.0.1/messages/../numbers',
];

/** What a service may accept that speaks more than HTTP/1.1; only the last is like a WebSocket. */
const otherUpgrades = [
  'h2c',
  'H2C',
  'TLS/1.2',
  'HTTP/2.0',
  'connect-udp',
  'anything',
  'h2c, websocket',
  'websocket, h2c',
  'websocket/13',
];

/** Headers that IIS, Symfony, Rails and others read instead of the path or method. */
const overrides = [
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
];

const overrideAliases = overrides.flatMap((header) =>
  aliasCharacters.flatMap((character) => [
    header.replaceAll('-', character),
    header.replace('-', character),
    header.replace(/-(?=[^-]*$)/, character),
  ]),
);

/** A header's name as one of `overrides`, also of an alias. */
function variableName(header: string): string {
  return header.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');
}

describe.each(proxyNames.filter((name) => programs[name] !== undefined))('%s', (name) => {
  let proxy: RunningProxy;
  /** Traefik sends the client's address to the check only in X-Forwarded-For. */
  const addressHeader = name === 'traefik' ? 'forwardedFor' : 'realIp';
  const useWholeCheck = () => world().relay.passTo(world().checks[addressHeader]);

  beforeAll(async () => {
    await useWholeCheck();
    const { relay, service } = world();
    const program = programs[name] as ProxyProgram;
    proxy = await startProxy(name, program, { check: relay.port, service: service.port });
  });
  afterAll(() => proxy.stop());
  beforeEach(() => {
    world().service.take();
  });

  function ask(path: string, headers: RawHeaders = [], method = 'GET'): Promise<Answer> {
    return send(proxy.address, path, headers, method);
  }

  /** The one request that reached the service. */
  function passedOn() {
    const seen = world().service.take();
    expect(seen).toHaveLength(1);
    return seen[0] as (typeof seen)[number];
  }

  function expectNothingPassedOn(): void {
    expect(world().service.take()).toEqual([]);
  }

  const challengeOf = ({ headers }: Answer) => headers['www-authenticate'];

  it('passes on a token with the scope, and who calls', async () => {
    const { viewToken } = world().credentials;
    for (const path of ['/messages', '/messages/1?full=1']) {
      expect((await ask(path, bearer(viewToken))).status).toBe(200);
      const seen = passedOn();
      expect(seen.url).toBe(path);
      expect(callerVariables(seen)).toEqual(callers.token());
    }
  });

  it("passes on a provider's token with what its client may do here", async () => {
    const { providerToken } = world().credentials;
    expect((await ask('/messages', bearer(providerToken))).status).toBe(200);
    expect(callerVariables(passedOn())).toEqual(callers.provider());
    expect((await ask('/messages', bearer(providerToken), 'POST')).status).toBe(403);
    expectNothingPassedOn();
  });

  it('passes on an API key for any required scopes', async () => {
    for (const [path, method] of [
      ['/messages', 'GET'],
      ['/messages', 'POST'],
      ['/numbers', 'GET'],
    ] as const) {
      expect((await ask(path, bearer(world().credentials.anyKey), method)).status).toBe(200);
      expect(callerVariables(passedOn())).toEqual(callers.key());
    }
  });

  it('passes on an API key with scopes where they are enough, with its scopes', async () => {
    const { scopedKey } = world().credentials;
    const forged = ['X-Auth-Scope', 'messaging:manage'];
    expect((await ask('/messages', [...bearer(scopedKey), ...forged])).status).toBe(200);
    expect(callerVariables(passedOn())).toEqual(callers.scopedKey());
    for (const [path, method, scope] of [
      ['/messages', 'POST', 'messaging:manage'],
      ['/numbers', 'GET', 'numbers:view numbers:manage'],
    ] as const) {
      const answer = await ask(path, bearer(scopedKey), method);
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body)).toMatchObject({ error: 'insufficient_scope', scope });
      expectNothingPassedOn();
    }
  });

  it('passes on both values of a rotated API key until the old one is ended', async () => {
    const { old, present, endOld } = await world().createRotatedKey();
    const ids: unknown[] = [];
    for (const value of [old, present]) {
      expect((await ask('/messages', bearer(value))).status).toBe(200);
      ids.push(callerVariables(passedOn())['X_AUTH_KEY_ID']);
    }
    expect(ids[0]).toEqual(ids[1]);
    await endOld();
    const refused = await ask('/messages', bearer(old));
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      401,
      expect.objectContaining({ error: 'invalid_token' }),
    ]);
    expectNothingPassedOn();
    expect((await ask('/messages', bearer(present))).status).toBe(200);
  });

  it('passes on any accepted credential if no scope is required, and everyone if none is', async () => {
    expect((await ask('/status', bearer(world().credentials.viewToken))).status).toBe(200);
    expect(callerVariables(passedOn())).toEqual(callers.token());
    expect((await ask('/status')).status).toBe(401);
    expectNothingPassedOn();
    expect((await ask('/health')).status).toBe(200);
    expect(callerVariables(passedOn())).toEqual({});
  });

  it('passes on the body of a request', async () => {
    const { manageToken } = world().credentials;
    const response = await fetch(`${proxy.address}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${manageToken}` },
      body: 'x'.repeat(100_000),
    });
    expect(response.status).toBe(200);
    expect(passedOn()).toMatchObject({ method: 'POST', bodyLength: 100_000 });
  });

  it("passes on the caller's trace, which the check logs", async () => {
    const trace = randomBytes(16).toString('hex');
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
    const { viewToken } = world().credentials;
    const sent = [...bearer(viewToken), 'traceparent', traceparent];
    expect((await ask('/messages', sent)).status).toBe(200);
    expect(headerValues(passedOn().rawHeaders, 'traceparent')).toEqual([traceparent]);
    expect((await ask('/messages', sent, 'POST')).status).toBe(403);
    await vi.waitFor(() => expect(world().traces()).toContain(trace), { timeout: stepLimit });
  });

  it('refuses a request without a credential', async () => {
    const answer = await ask('/messages');
    expect([answer.status, challengeOf(answer)]).toEqual([401, 'Bearer realm="platform"']);
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'invalid_token' });
    expectNothingPassedOn();
  });

  it('refuses a bad token with the challenge', async () => {
    const { viewToken } = world().credentials;
    const answer = await ask('/messages', bearer(`${viewToken}x`));
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toMatch(
      /^Bearer realm="platform", error="invalid_token", error_description="[^"]+"$/,
    );
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'invalid_token' });
    expectNothingPassedOn();
  });

  it.each(['POST', 'DELETE', 'OPTIONS', 'PATCH'])(
    'refuses a token without the scope of %s',
    async (method) => {
      const answer = await ask('/messages', bearer(world().credentials.viewToken), method);
      expect(answer.status).toBe(403);
      expect(challengeOf(answer)).toBe(
        'Bearer realm="platform", error="insufficient_scope", error_description="the access token lacks a scope that this request requires", scope="messaging:manage"',
      );
      expect(JSON.parse(answer.body)).toMatchObject({
        error: 'insufficient_scope',
        scope: 'messaging:manage',
      });
      expectNothingPassedOn();
    },
  );

  it('requires every scope of a route', async () => {
    const answer = await ask('/numbers', bearer(world().credentials.manageToken));
    expect([answer.status, challengeOf(answer)]).toEqual([
      403,
      expect.stringContaining('scope="numbers:view numbers:manage"'),
    ]);
  });

  it('refuses two Authorization headers, in either order', async () => {
    const { viewToken } = world().credentials;
    const [good, bad] = [bearer(viewToken), bearer('other')];
    for (const headers of [
      [...good, ...bad],
      [...bad, ...good],
      [...good, ...good],
    ]) {
      const { status } = await ask('/messages', headers);
      expect([400, 401]).toContain(status);
      expectNothingPassedOn();
    }
  });

  it('accepts an API key inside its subnets, for any address that the request claims', async () => {
    const { loopbackKey } = world().credentials;
    for (const claimed of [[], forgedSource]) {
      expect((await ask('/messages', [...bearer(loopbackKey), ...claimed])).status).toBe(200);
    }
  });

  it('refuses an API key outside its subnets, for any address that the request claims', async () => {
    const { officeKey } = world().credentials;
    const twice = [...forgedSource, ...forgedSource];
    for (const claimed of [[], forgedSource, twice, ['X_Real_IP', '192.0.2.7']]) {
      const { status } = await ask('/messages', [...bearer(officeKey), ...claimed]);
      expect([400, 401, 403]).toContain(status);
      expectNothingPassedOn();
    }
  });

  it('replaces identity headers that the caller made up', async () => {
    const forged = names.flatMap((header) => [header, 'forged', header.toLowerCase(), 'again']);
    await ask('/messages', [...bearer(world().credentials.viewToken), ...forged]);
    expect(callerVariables(passedOn())).toEqual(callers.token());
    await ask('/messages', [...bearer(world().credentials.anyKey), ...forged]);
    expect(callerVariables(passedOn())).toEqual(callers.key());
    await ask('/health', forged);
    expect(callerVariables(passedOn())).toEqual({});
  });

  it('lets no alias of an identity header through', async () => {
    for (const alias of aliases) {
      for (const [path, caller] of [
        ['/messages', callers.token()],
        ['/health', {}],
      ] as const) {
        const headers = [...bearer(world().credentials.viewToken), alias, 'forged'];
        const { status } = await ask(path, headers);
        const seen = world().service.take();
        if (status === 200) expect(seen.map(callerVariables), alias).toEqual([caller]);
        else expect([status, seen], alias).toEqual([400, []]);
      }
    }
  });

  it('keeps the identity if the caller declares it a header of the connection', async () => {
    const connection = ['Connection', names.join(', ')];
    const { status } = await ask('/messages', [
      ...bearer(world().credentials.viewToken),
      ...connection,
    ]);
    const seen = world().service.take();
    if (status === 200) expect(seen.map(callerVariables)).toEqual([callers.token()]);
    else expect([status, seen]).toEqual([400, []]);
    expect((await ask('/messages', [...bearer('bad'), 'Connection', 'Authorization'])).status).toBe(
      401,
    );
  });

  it('asks again for each request of a connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { viewToken, anyKey } = world().credentials;
    const statuses: number[] = [];
    for (const [credential, caller] of [
      [viewToken, callers.token()],
      ['bad', undefined],
      [anyKey, callers.key()],
      [viewToken, callers.token()],
      [undefined, undefined],
    ] as const) {
      const { status } = await new Promise<{ status: number }>((resolve, reject) => {
        const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
        const outgoing = request(`${proxy.address}/messages`, { agent, headers }, (response) => {
          response.resume().on('end', () => resolve({ status: response.statusCode ?? 0 }));
        });
        outgoing.on('error', reject).end();
      });
      statuses.push(status);
      expect(world().service.take().map(callerVariables)).toEqual(
        caller === undefined ? [] : [caller],
      );
    }
    agent.destroy();
    expect(statuses).toEqual([200, 401, 200, 200, 401]);
  });

  it('never passes on a path that a service may read as one that was not checked', async () => {
    const { manageToken } = world().credentials;
    const passed: string[] = [];
    for (const path of [...pathTricks, ...numbersTricks]) {
      for (const headers of [[], bearer(manageToken)]) {
        await ask(path, headers);
        for (const seen of world().service.take()) {
          const read = lenientPath(seen);
          const isOpen = read === '/health';
          const mayRead =
            headers.length > 0 && (read === '/status' || /^\/messages(\/|$)/.test(read));
          if (!isOpen && !mayRead) passed.push(`${path} as ${seen.url}`);
        }
      }
    }
    expect(passed).toEqual([]);
  });

  const upgrade = (value: string) => [
    'Connection: Upgrade',
    `Upgrade: ${value}`,
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  const credential = () => [`Authorization: Bearer ${world().credentials.viewToken}`];

  it.each(otherUpgrades)('gives no tunnel for Upgrade: %s, on any route', async (value) => {
    for (const [path, headers] of [
      ['/health', []],
      ['/messages', credential()],
      ['/status', credential()],
      ['/events', credential()],
    ] as const) {
      for (const one of [
        upgrade(value),
        ['Connection: Upgrade, HTTP2-Settings', ...upgrade(value)],
      ]) {
        const settings = 'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA';
        const answer = await sendRaw(proxy.address, [
          `GET ${path} HTTP/1.1`,
          ...headers,
          ...one,
          settings,
        ]);
        expect([path, value, answer.isTunnel]).toEqual([path, value, false]);
        expect(world().service.takeTunnelled()).toBe('');
      }
    }
  });

  it('gives a tunnel for WebSocket on the route that asks for it, to a checked caller', async () => {
    for (const value of ['websocket', 'WebSocket']) {
      const lines = ['GET /events HTTP/1.1', ...credential(), ...upgrade(value)];
      expect(await sendRaw(proxy.address, lines)).toEqual({ status: 101, isTunnel: true });
      expect(callerVariables(passedOn())).toEqual(callers.token());
      expect(world().service.takeTunnelled()).toMatch(/^GET \/numbers/);
    }
    const refused = [
      ['GET /events HTTP/1.1', ...upgrade('websocket')],
      ['GET /events HTTP/1.1', 'Authorization: Bearer bad', ...upgrade('websocket')],
    ];
    for (const lines of refused) {
      expect(await sendRaw(proxy.address, lines)).toEqual({ status: 401, isTunnel: false });
      expectNothingPassedOn();
    }
    const { status } = await ask('/events', bearer(world().credentials.viewToken));
    expect([status, callerVariables(passedOn())]).toEqual([200, callers.token()]);
  });

  it.each(['/health', '/messages'])('gives no tunnel for WebSocket on %s', async (path) => {
    const lines = [`GET ${path} HTTP/1.1`, ...credential(), ...upgrade('websocket')];
    const { isTunnel } = await sendRaw(proxy.address, lines);
    expect([isTunnel, world().service.takeTunnelled()]).toEqual([false, '']);
  });

  it('removes headers by which a service may take another path or method', async () => {
    for (const [path, headers] of [
      ['/health', []],
      ['/messages', bearer(world().credentials.viewToken)],
    ] as const) {
      for (const header of [...overrides, ...overrideAliases]) {
        const { status } = await ask(path, [...headers, header, '/numbers']);
        const seen = world().service.take();
        const received = seen.flatMap(({ rawHeaders }) =>
          rawHeaders.filter((_, index) => index % 2 === 0),
        );
        const left = received.filter((name) => overrides.includes(variableName(name)));
        // A name that only a service with CGI variables reads may be refused.
        expect([header, status === 200 || status === 400, left]).toEqual([header, true, []]);
      }
      expect((await ask(path, [...headers, 'x-rewrite-url', '/numbers'])).status).toBe(200);
      world().service.take();
    }
  });

  it('passes on no identity in the trailers of a request', async () => {
    for (const [path, headers] of [
      ['/health', []],
      ['/messages', [`Authorization: Bearer ${world().credentials.manageToken}`]],
    ] as const) {
      // HAProxy before 3.2 passes on trailers that are not announced, as its configuration says.
      const unannounced = name === 'haproxy' ? [] : [[]];
      for (const announced of [['Trailer: X-Auth-Client-Id'], ...unannounced]) {
        const lines = [
          `POST ${path} HTTP/1.1`,
          ...headers,
          ...announced,
          'Transfer-Encoding: chunked',
        ];
        await sendRaw(proxy.address, lines, '2\r\n{}\r\n0\r\nX-Auth-Client-Id: forged\r\n\r\n');
        const trailers = world()
          .service.take()
          .flatMap(({ rawTrailers }) => rawTrailers);
        expect([path, announced, trailers]).toEqual([path, announced, []]);
      }
    }
  });

  it('has no route that no one wrote', async () => {
    for (const path of ['/', '/messagesx', '/numbers/1', '/admin', '/verify/-', '/_forward_auth']) {
      expect([404], path).toContain((await ask(path, bearer(world().credentials.anyKey))).status);
      expectNothingPassedOn();
    }
  });

  describe('while the check', () => {
    afterAll(useWholeCheck);

    it('reaches no DynamoDB: own tokens go through, API keys get 503', async () => {
      await world().relay.passTo(world().checks.withoutDynamoDb);
      expect((await ask('/messages', bearer(world().credentials.viewToken))).status).toBe(200);
      world().service.take();
      for (const credential of [world().credentials.anyKey, world().credentials.providerToken]) {
        const answer = await ask('/messages', bearer(credential));
        expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
        expect(JSON.parse(answer.body)).toMatchObject({ error: 'temporarily_unavailable' });
        expectNothingPassedOn();
      }
    });

    it('is down: no one gets in', async () => {
      await world().relay.goDown();
      for (const headers of [
        [],
        bearer(world().credentials.viewToken),
        bearer(world().credentials.anyKey),
      ]) {
        expect((await ask('/messages', headers)).status).toBeGreaterThanOrEqual(500);
        expectNothingPassedOn();
      }
      expect((await ask('/health')).status).toBe(200);
    });

    it('hangs: no one gets in, and the answer comes in time', async () => {
      await world().relay.hang();
      const answer = await ask('/messages', bearer(world().credentials.viewToken));
      expect(answer.status).toBeGreaterThanOrEqual(500);
      expectNothingPassedOn();
    });

    it('is back: everything goes on', async () => {
      await useWholeCheck();
      expect((await ask('/messages', bearer(world().credentials.viewToken))).status).toBe(200);
    });
  });
});
