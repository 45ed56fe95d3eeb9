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

describe('a request that is refused', () => {
  it('carries the challenge under the name that API Gateway gives it', async () => {
    const wrong = basic(service().clientId, formatClientSecret(Buffer.alloc(32)));
    const { status, headers } = await send([['Authorization', wrong], typed], grant);
    expect([status, headers['x-amzn-remapped-www-authenticate']]).toEqual([
      401,
      `Basic realm="${service().issuer}"`,
    ]);
    expect(headers).not.toHaveProperty('www-authenticate');
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
});
