import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenPath } from '../../../contract/routes.ts';
import { goodAuthorization, tokenRequest, tokenWorld } from '../../support/token-world.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '%',
    '%00',
    '%FF',
    '\r\n',
    '\u0000',
    '__proto__',
    '{"level":"INFO"}',
    '\u001b[31m',
  ),
);

const authorization = fc.oneof(
  text,
  text.map((value) => `Basic ${value}`),
  text.map((value) => `Basic ${Buffer.from(value).toString('base64')}`),
  fc.constant(goodAuthorization),
);

const parameter = fc.tuple(
  fc.oneof(fc.constantFrom('grant_type', 'scope', 'resource', 'client_id', 'client_secret'), text),
  fc.oneof(
    fc.constantFrom('client_credentials', 'messaging:view', 'https://api.example.com'),
    text,
  ),
);

const body = fc.oneof(
  fc.constant('grant_type=client_credentials'),
  fc.uint8Array({ maxLength: 300 }),
  text,
  fc.array(parameter, { maxLength: 6 }).map((pairs) => new URLSearchParams(pairs).toString()),
);

const name = fc.oneof(text, fc.constantFrom('content-type', 'AUTHORIZATION', '__proto__', 'Host'));

function headersFrom(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const headers = Object.create(null) as Record<string, string>;
  for (const [key, value] of pairs) headers[key] = value;
  return headers;
}

describe('any bytes', () => {
  const expectedError = /^\{"error":"[a-z_]+","error_description":"[ !#-[\]-~]+"\}$/;

  it('the answer is a token or a refusal, never a failure', async () => {
    const { call, reports } = tokenWorld();
    await fc.assert(
      fc.asyncProperty(
        authorization,
        body,
        text,
        fc.array(fc.tuple(name, text), { maxLength: 4 }),
        fc.constantFrom('POST', 'POST', 'POST', 'GET', ' ', 'constructor'),
        async (credentials, content, query, more, method) => {
          const response = await call({
            method,
            path: tokenPath,
            query,
            body: content,
            headers: {
              ...tokenRequest().headers,
              Authorization: credentials,
              ...headersFrom(more),
            },
          });
          expect(response.statusCode).toBeGreaterThanOrEqual(200);
          expect(response.statusCode).toBeLessThan(500);
          if (response.statusCode !== 200) expect(response.body).toMatch(expectedError);
        },
      ),
      { numRuns: 1500 },
    );
    expect(reports.every(({ level }) => level === 'info')).toBe(true);
    expect(reports.some(({ outcome }) => outcome === 'issued')).toBe(true);
  });

  it('a path that is no route is not found', async () => {
    const { call } = tokenWorld();
    await fc.assert(
      fc.asyncProperty(text, async (path) => {
        expect(await call({ path })).toMatchObject({
          statusCode: 404,
          body: '{"error":"not_found","error_description":"there is nothing at this path"}',
        });
      }),
      { numRuns: 100 },
    );
  });
});
