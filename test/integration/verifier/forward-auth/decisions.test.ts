import { beforeAll, describe, expect, it } from 'vitest';
import { callerHeaders } from '../../../../contract/caller-headers.ts';
import { useLocalCli } from '../../cli/use-authctl.ts';
import { fetchToken } from '../../lab/local/use-local-service.ts';
import { type Answer, bearer, send, useForwardAuth } from './use-forward-auth.ts';

const { json, service } = useLocalCli();
const options = '--tables local --client-address-header X-Real-IP --log all';
const check = useForwardAuth(service, options.split(' '));

const headerNames = Object.values(callerHeaders).map((name) => name.toLowerCase());

let token: string;
/** A key for 192.0.2.0/24. */
let limitedKey: string;

beforeAll(async () => {
  token = await fetchToken(service(), { scope: 'messaging:view' });
  const key = ['api-key', 'create', '--name', 'Office', '--trunk-group', 'tg-9'];
  ({ api_key: limitedKey } = (await json([...key, '--allow', 'office=192.0.2.0/24'])) as {
    api_key: string;
  });
});

function ask(path: string, headers: readonly string[] = [], method?: string): Promise<Answer> {
  return send(check().address, path, headers, method);
}

function callerOf({ headers }: Answer): Readonly<Record<string, unknown>> {
  return Object.fromEntries(headerNames.map((name) => [name, headers[name]]));
}

describe('an accepted credential', () => {
  it('gets 200, no body, and every header about the caller', async () => {
    const answer = await ask('/verify/messaging:view', bearer(token));
    expect([answer.status, answer.body, answer.headers['cache-control']]).toEqual([
      200,
      '',
      'no-store',
    ]);
    expect(callerOf(answer)).toEqual({
      'x-auth-credential': 'access_token',
      'x-auth-client-id': service().clientId,
      'x-auth-scope': 'messaging:view',
      'x-auth-service-trunk-group': 'demo',
      'x-auth-issuer': service().issuer,
      'x-auth-key-id': '',
    });
  });

  it('may be an API key, for any scope', async () => {
    const answer = await ask('/verify/messaging:manage', bearer(service().apiKey));
    expect(answer.status).toBe(200);
    expect(callerOf(answer)).toMatchObject({
      'x-auth-credential': 'api_key',
      'x-auth-client-id': '',
      'x-auth-scope': '',
      'x-auth-service-trunk-group': 'demo',
    });
  });

  it('may be an API key with scopes, for these only, which the service behind it sees', async () => {
    const key = ['api-key', 'create', '--name', 'Narrow', '--trunk-group', 'tg-9'];
    const scopes = ['--scope', 'messaging:view', '--scope', 'calls:view'];
    const { api_key: narrow } = (await json([...key, ...scopes])) as { api_key: string };
    const answer = await ask('/verify/messaging:view', bearer(narrow));
    expect(answer.status).toBe(200);
    expect(callerOf(answer)).toMatchObject({
      'x-auth-credential': 'api_key',
      'x-auth-scope': 'messaging:view calls:view',
    });
    const refused = await ask('/verify/messaging:manage', bearer(narrow));
    expect(refused.status).toBe(403);
    expect(refused.headers['www-authenticate']).toContain(
      'error="insufficient_scope", error_description="the API key lacks a scope that this request requires", scope="messaging:manage"',
    );
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'is accepted by any method, such as %s',
    async (method) => {
      expect((await ask('/verify/-', bearer(token), method)).status).toBe(200);
    },
  );

  it('is logged with who calls, never with the credential', async () => {
    await ask('/verify/-', bearer(token));
    const line = await check().waitFor({ message: 'accepted' });
    expect(line).toMatchObject({ level: 'INFO', client_id: service().clientId });
    const log = JSON.stringify(check().log);
    for (const secret of [token, token.split('.')[2], service().apiKey, limitedKey]) {
      expect(log).not.toContain(secret);
    }
  });
});

describe('a refused credential', () => {
  it.each([
    [
      'none',
      [],
      401,
      'Bearer realm="platform"',
      { error: 'invalid_token', error_description: 'an access token or API key is required' },
    ],
    [
      'a bad token',
      bearer('x.y.z'),
      401,
      'Bearer realm="platform", error="invalid_token", error_description="the access token is not a signed JWT"',
      { error: 'invalid_token', error_description: 'the access token is not a signed JWT' },
    ],
    [
      'two headers',
      [...bearer('a'), ...bearer('b')],
      400,
      'Bearer realm="platform", error="invalid_request", error_description="there is more than one Authorization header"',
      {
        error: 'invalid_request',
        error_description: 'there is more than one Authorization header',
      },
    ],
  ] as const)(
    '%s gets the exact challenge of RFC 6750',
    async (_, headers, status, challenge, body) => {
      const answer = await ask('/verify/messaging:view', headers);
      expect(answer.status).toBe(status);
      expect(answer.headers['www-authenticate']).toBe(challenge);
      expect(JSON.parse(answer.body)).toEqual(body);
      expect(answer.headers['x-auth-error']).toBe(answer.body);
      expect(headerNames.filter((name) => name in answer.headers)).toEqual([]);
    },
  );

  it('for a missing scope is 403 with the scopes that the path names', async () => {
    const answer = await ask('/verify/messaging:view,messaging:manage', bearer(token));
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toContain(
      'error="insufficient_scope", error_description="the access token lacks a scope that this request requires", scope="messaging:view messaging:manage"',
    );
    expect(JSON.parse(answer.body)).toMatchObject({ scope: 'messaging:view messaging:manage' });
  });

  it('is logged with the reason and the scopes of the path, not with the rest of it', async () => {
    await ask('/verify/calls:view/orders/4711?key=secret', ['Authorization', 'Bearer !']);
    const expected = { path: '/verify/calls:view', reason: 'authorization_malformed' };
    expect(await check().waitFor(expected)).toMatchObject({ message: 'invalid_request' });
    expect(JSON.stringify(check().log)).not.toMatch(/4711|key=secret/);
  });
});

describe('the source of an API key', () => {
  const inside = ['X-Real-IP', '192.0.2.7'];

  it.each<readonly [string, readonly string[], number]>([
    ['inside its subnet', inside, 200],
    ['outside', ['X-Real-IP', '198.51.100.7'], 401],
    ['unknown, as the proxy sent no header', [], 401],
    ['forged in another header', ['X-Forwarded-For', '192.0.2.7'], 401],
    ['forged under an alias', ['X_Real_IP', '192.0.2.7', 'X.Real.IP', '192.0.2.7'], 401],
  ])('is %s', async (_, headers, status) => {
    const answer = await ask('/verify/-', [...bearer(limitedKey), ...headers]);
    expect(answer.status).toBe(status);
  });
});

describe('a path that names no scopes', () => {
  it.each(['/', '/verify', '/verify/', '/verify/Messaging:view', '/admin', '/verify/%2d'])(
    '%s gives no access, and says why in the log',
    async (path) => {
      const answer = await ask(path, bearer(token));
      expect([answer.status, JSON.parse(answer.body).error]).toEqual([500, 'server_error']);
      const line = await check().waitFor({ message: 'server_error' });
      expect(line).toMatchObject({ level: 'ERROR', error_name: 'ScopesMissingError' });
    },
  );
});

describe('a body that the proxy announces and does not send', () => {
  it('ends the connection, so that the next request is not taken for it', async () => {
    const headers = [...bearer(token), 'Content-Length', '0'];
    expect((await ask('/verify/-', headers)).headers.connection).not.toBe('close');
    const { address } = check();
    const response = await fetch(`${address}/verify/-`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: 'GET /verify/- HTTP/1.1\r\n\r\n',
    });
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
  });
});

describe('a request with more headers than older versions of Node keep', () => {
  const fillers = (count: number) => Array.from({ length: count }, () => ['X', 'y']).flat();

  it.each([
    ['an Authorization', () => bearer('other')],
    ['the same Authorization', () => bearer(token)],
  ])('gets no access by hiding %s behind them', async (_, hidden) => {
    for (const count of [100, 990, 1500, 3000]) {
      const headers = [...bearer(token), ...fillers(count), ...hidden()];
      const { status } = await ask('/verify/-', headers);
      expect([400, 431], `${count} headers`).toContain(status);
    }
  });

  it('cannot hide that it announces a body', async () => {
    for (const count of [100, 990, 1500, 3000]) {
      const headers = [...bearer(token), ...fillers(count), 'Content-Length', '0005'];
      const answer = await ask('/verify/-', headers, 'POST').catch(() => undefined);
      expect([undefined, 'close'], `${count} headers`).toContain(answer?.headers.connection);
    }
  });
});
