import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { formatClientSecret } from '../../../core/credential/credential-value.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { credentialsOf, useLocalService } from '../lab/local/use-local-service.ts';

const service = useLocalService();

const form = 'application/x-www-form-urlencoded';
const grant = 'grant_type=client_credentials';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends exactly these headers, repeated ones included, and these bytes. */
function send(
  headers: readonly (readonly [string, string])[],
  body: string | Uint8Array,
  options: { readonly method?: string; readonly query?: string; readonly end?: string } = {},
): Promise<Answer> {
  const { host, port } = new URL(service().tokenUrl);
  const length = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path: `/api/v1/oauth/token${options.end ?? ''}${options.query ?? ''}`,
      method: options.method ?? 'POST',
      agent: false,
      headers: ['Host', host, 'Content-Length', length, ...headers.flat()],
    });
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function authorized(): readonly [string, string] {
  return ['Authorization', credentialsOf(service())];
}

const typed: readonly [string, string] = ['Content-Type', form];

function expectUncached({ headers }: Answer): void {
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
  });
  expect(headers).not.toHaveProperty('set-cookie');
  expect(headers).not.toHaveProperty('www-authenticate');
}

describe('a slash at the end of the path', () => {
  it('changes nothing', async () => {
    const options = { end: '/' };
    const got = await send([authorized(), typed], grant, options);
    expect([got.status, JSON.parse(got.body)]).toMatchObject([200, { token_type: 'Bearer' }]);
    expect((await send([typed], grant, options)).status).toBe(401);
    expect((await send([authorized(), typed], grant, { ...options, method: 'GET' })).status).toBe(
      405,
    );
    const inQuery = { ...options, query: '?scope=messaging:view' };
    expect((await send([authorized(), typed], grant, inQuery)).status).toBe(400);
  });
});

describe('a token', () => {
  it('comes in a response that no one keeps', async () => {
    const answer = await send([authorized(), typed], grant);
    expect(answer.status).toBe(200);
    expectUncached(answer);
    expect(JSON.parse(answer.body)).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'messaging:view messaging:manage',
    });
  });
});

describe('a request that is refused', () => {
  const authorizationOf = {
    valid: () => authorized(),
    unknown: () => ['Authorization', basic('client_0000000000000000000000', 'x')] as const,
    wrong: () =>
      ['Authorization', basic(service().clientId, formatClientSecret(Buffer.alloc(32)))] as const,
    malformed: () => ['Authorization', 'Basic Zm9v'] as const,
  };

  it.each([
    ['wrong', grant, 401, 'invalid_client', 'client authentication failed'],
    ['malformed', grant, 401, 'invalid_client', 'client authentication failed'],
  ] as const)('%s credentials, "%s": %i %s', async (...row) => {
    const [credentials, body, status, error, error_description] = row;
    const answer = await send([authorizationOf[credentials](), typed], body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({ error, error_description });
    expectUncached(answer);
  });

  it('carries the challenge under the name that API Gateway gives it', async () => {
    const answer = await send([authorizationOf.wrong(), typed], grant);
    expect(answer.headers['x-amzn-remapped-www-authenticate']).toBe(
      `Basic realm="${service().issuer}"`,
    );
  });

  it('is the same for an unknown client and a wrong secret, but for its request id and time', async () => {
    const [unknown, wrong] = await Promise.all([
      send([authorizationOf.unknown(), typed], grant),
      send([authorizationOf.wrong(), typed], grant),
    ]);
    const varying = new Set(['date', 'x-amzn-requestid', 'x-amz-apigw-id']);
    const fixed = ({ headers }: Answer) =>
      Object.entries(headers).filter(([name]) => !varying.has(name));
    expect(unknown.body).toBe(wrong.body);
    expect(fixed(unknown)).toEqual(fixed(wrong));
  });

  it('has two Authorization headers', async () => {
    const answer = await send([authorized(), authorized(), typed], grant);
    expect([400, 401]).toContain(answer.status);
  });

  it('is a HEAD', async () => {
    const answer = await send([authorized()], '', { method: 'HEAD' });
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('POST');
    expect(answer.body).toBe('');
  });

  it.each([['headers of 11 KiB', [typed, ['X-A', 'a'.repeat(11 * 1024)]], grant]] as const)(
    'has %s',
    async (_, headers, body) => {
      const answer = await send([authorized(), ...headers], body);
      expect([400, 413, 431]).toContain(answer.status);
      expect(JSON.parse(answer.body)).toMatchObject({ error: 'invalid_request' });
      expectUncached(answer);
    },
  );
});
