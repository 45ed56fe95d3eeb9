import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDynamoDbLookups } from '../../../../verifier/dynamodb-lookups.ts';
import { createExpressMiddleware } from '../../../../verifier/express.ts';
import { BearerRefusal, createVerifier, type Verifier } from '../../../../verifier/verifier.ts';
import { useLocalCli } from '../../cli/use-authctl.ts';
import { fetchToken } from '../../lab/local/use-local-service.ts';
import { bearer, send } from '../forward-auth/use-forward-auth.ts';
import { frameworks, type RunningService } from './frameworks.ts';

const { json, service } = useLocalCli();
let verifier: Verifier;
let token: string;
let officeKey: string;
let loopbackKey: string;

async function createKey(allow: string): Promise<string> {
  const named = ['--name', 'Key', '--trunk-group', 'tg-9', '--allow', allow];
  return String((await json(['api-key', 'create', ...named]))['api_key']);
}

beforeAll(async () => {
  const { environment, issuer } = service();
  const lookups = createDynamoDbLookups({
    tables: 'local',
    region: environment['AWS_REGION'],
    endpointDynamoDb: environment['AWS_ENDPOINT_URL_DYNAMODB'],
    credentials: {
      accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  });
  verifier = createVerifier({ issuer, audience: environment['AUDIENCE'] ?? '', ...lookups });
  token = await fetchToken(service(), { scope: 'messaging:view' });
  officeKey = await createKey('office=192.0.2.0/24');
  loopbackKey = await createKey('here=127.0.0.0/8');
});

describe.each(Object.entries(frameworks))('middleware for %s', (_, start) => {
  const notAccepted: unknown[] = [];
  let running: RunningService;

  beforeAll(async () => {
    running = await start(verifier, { notAccepted, behindProxy: false });
  });
  afterAll(() => running.close());
  beforeEach(() => {
    notAccepted.length = 0;
  });

  const get = (path: string, headers: readonly string[] = []) =>
    send(running.address, path, headers);

  it('lets a token with the scope through, and says who calls', async () => {
    const answer = await get('/messages', bearer(token));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({
      credential: 'access_token',
      clientId: service().clientId,
      serviceTrunkGroup: 'demo',
    });
    expect(notAccepted).toEqual([]);
  });

  it('lets an API key through, from inside its subnets only', async () => {
    expect((await get('/messages', bearer(service().apiKey))).status).toBe(200);
    expect((await get('/status', bearer(loopbackKey))).status).toBe(200);
    expect((await get('/status', bearer(officeKey))).status).toBe(401);
    const forged = ['X-Forwarded-For', '192.0.2.7', 'X-Real-IP', '192.0.2.7'];
    expect((await get('/status', [...bearer(officeKey), ...forged])).status).toBe(401);
  });

  it.each([
    ['no credential', () => [], 401, 'Bearer realm="platform"'],
    ['a bad token', () => bearer('a.b.c'), 401, /error="invalid_token"/],
    ['two headers', () => [...bearer(token), ...bearer(token)], 400, /error="invalid_request"/],
  ] as const)(
    'refuses %s with the challenge, and tells the service',
    async (_name, headers, status, challenge) => {
      const answer = await get('/messages', headers());
      expect(answer.status).toBe(status);
      expect(answer.headers['www-authenticate']).toMatch(challenge);
      expect(answer.headers['content-type']).toContain('application/json');
      expect(JSON.parse(answer.body)).toHaveProperty('error');
      expect(notAccepted).toEqual([expect.any(BearerRefusal)]);
    },
  );

  it('gives no access if a second credential is behind more headers than Node keeps', async () => {
    for (const count of [100, 990, 1500, 3000]) {
      const fillers = Array.from({ length: count }, () => ['X', 'y']).flat();
      const sent = get('/messages', [...bearer(token), ...fillers, ...bearer('other')]);
      // Some versions of Node close the connection.
      const answer = await sent.catch(() => ({ status: 0 }));
      expect([400, 401, 431, 0], `${count} headers`).toContain(answer.status);
    }
  });

  it('tells who asks about a caller that no middleware verified that there is none', async () => {
    const answer = await get('/open', bearer(token));
    expect([answer.status, JSON.parse(answer.body)]).toEqual([500, { error: 'of the service' }]);
  });

  it("leaves the service's own errors to the service", async () => {
    const answer = await get('/failing', bearer(token));
    expect([answer.status, JSON.parse(answer.body)]).toEqual([500, { error: 'of the service' }]);
    expect(notAccepted).toEqual([]);
  });
});

describe.each(Object.entries(frameworks))('middleware for %s behind a proxy', (_, start) => {
  it('takes the address that the service says, and never the peer in its place', async () => {
    const { address, close } = await start(verifier, { notAccepted: [], behindProxy: true });
    const office = [...bearer(officeKey), 'X-Real-IP', '192.0.2.7'];
    expect((await send(address, '/status', office)).status).toBe(200);
    expect((await send(address, '/status', bearer(loopbackKey))).status).toBe(401);
    close();
  });
});

describe.each(Object.entries(frameworks))('the metadata of an API in %s', (_, start) => {
  const path = '/.well-known/oauth-protected-resource/v1';
  let running: RunningService;

  beforeAll(async () => {
    const { issuer } = service();
    const resource = 'https://api.example.com/v1';
    const withMetadata = createVerifier({
      issuer,
      audience: ['https://x', resource],
      resource,
      resourceScopes: ['messaging:view'],
    });
    running = await start(withMetadata, {
      notAccepted: [],
      behindProxy: false,
      servesMetadata: true,
    });
  });
  afterAll(() => running.close());

  it('is served to everyone, and only at its path (RFC 9728 §3.1, §3.2)', async () => {
    const answer = await send(running.address, `${path}?x=y`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(JSON.parse(answer.body)).toEqual({
      resource: 'https://api.example.com/v1',
      authorization_servers: [service().issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['messaging:view'],
    });
    expect(await send(running.address, path, [], 'HEAD')).toMatchObject({ status: 200, body: '' });
    for (const other of ['/.well-known/oauth-protected-resource', `${path}/`, '/v1']) {
      expect((await send(running.address, other)).status, other).toBe(404);
    }
    expect((await send(running.address, path, [], 'POST')).status).toBe(404);
  });

  it('is named by the challenge, which is otherwise the same (RFC 9728 §5.1)', async () => {
    const answer = await send(running.address, '/messages');
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      `Bearer realm="platform", resource_metadata="https://api.example.com${path}"`,
    ]);
  });
});

describe('middleware', () => {
  it('refuses to serve metadata that the verifier does not have', () => {
    expect(() => createExpressMiddleware(verifier).resourceMetadata()).toThrow(
      'resourceMetadata: received a verifier without resource; allowed: createVerifier({ resource: … })',
    );
  });

  it.each([
    'https://other.example.com',
    'http://api.example.com',
    'https://api.example.com/?a=b',
    'https://api.example.com/#a',
    'https://api.example.com/"',
    'api',
  ])('refuses the resource %s', (resource) => {
    const audience = ['https://api.example.com', ...(resource.includes('other') ? [] : [resource])];
    expect(() => createVerifier({ issuer: 'https://a.example', audience, resource })).toThrow(
      `resource: received ${JSON.stringify(resource)}; allowed: one of the audiences that is an https URL without query and fragment, e.g. "https://api.example.com"`,
    );
  });

  it.each([[[]], [['']], [['a b']]])('refuses to require %j', (scopes) => {
    expect(() => createExpressMiddleware(verifier).requireScopes(...scopes)).toThrow(
      /requireScopes: received .*; allowed: one scope or more/,
    );
  });
});
