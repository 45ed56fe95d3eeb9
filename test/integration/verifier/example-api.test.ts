import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { fetchToken, useLocalService } from '../lab/local/use-local-service.ts';

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
    const token = await fetchToken(service());
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
    const token = await fetchToken(service(), { scope: 'messaging:view' });
    const callWith = (method: string, authorization?: string) =>
      call(authorization, { method }, '/');
    expect(await callWith('GET', `Bearer ${token}`)).toMatchObject({ status: 200 });
    expect(await callWith('POST', `Bearer ${token}`)).toMatchObject({ status: 403 });
    expect(await callWith('GET')).toMatchObject({ status: 401 });
    expect(await callWith('GET', 'Bearer x')).toEqual(invalidToken);
  });

  it('answers a missing scope with 403, the challenge, and the scope', async () => {
    const token = await fetchToken(service(), { scope: 'messaging:view' });
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
});
