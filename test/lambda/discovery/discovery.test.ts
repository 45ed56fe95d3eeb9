import { describe, expect, it } from 'vitest';
import type { Settings } from '../../../contract/function-settings.ts';
import {
  authorizationPath,
  oauthAuthorizationServerPath,
  openidConfigurationPath,
  tokenPath,
} from '../../../contract/routes.ts';
import { lambdaContext, type ProxyRequest, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { createDiscoveryHandler } from '../../../lambda/discovery/function.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';
import { tokenWorld } from '../../support/token-world.ts';

const settings: Settings<'discovery'> = {
  issuer: 'https://auth.example.com',
  regionalTokenEndpoints: { slc: 'https://slc.auth.example.com/api/v1/oauth/token' },
  signingAlgorithms: ['RS256'],
  scopesSupported: ['messaging:view', 'messaging:manage'],
  documentMaxAge: 3600,
};

const { telemetry, reports } = recordTelemetry();
const handler = createDiscoveryHandler(settings, { telemetry });
const call = (request: ProxyRequest) => handler(proxyEvent(request), lambdaContext());

const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'ETag' };
const security = {
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
};

describe.each([openidConfigurationPath, oauthAuthorizationServerPath])('%s', (path) => {
  it('is JSON that anybody may keep and read', async () => {
    const response = await call({ path });
    expect(response).toEqual({
      statusCode: 200,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'public, max-age=3600',
        ETag: expect.stringMatching(/^"[\w-]{43}"$/),
        ...cors,
        ...security,
      },
      body: expect.any(String),
    });
    expect(JSON.parse(response.body)).toMatchObject({
      issuer: 'https://auth.example.com',
      token_endpoint: 'https://auth.example.com/api/v1/oauth/token',
      jwks_uri: 'https://auth.example.com/.well-known/jwks.json',
    });
  });

  it('names only https addresses', async () => {
    const { body } = await call({ path });
    const urls = body.match(/[a-z]+:\/\/[^"]+/g) ?? [];
    expect(urls.length).toBeGreaterThan(3);
    for (const url of urls) expect(url).toMatch(/^https:\/\/([a-z]+\.)?auth\.example\.com(\/|$)/);
  });

  it.each([
    ['Host', 'evil.example'],
    ['X-Forwarded-Host', 'evil.example'],
    ['Forwarded', 'host=evil.example'],
  ])('does not depend on %s', async (name, value) => {
    expect(await call({ path, headers: { [name]: value } })).toEqual(await call({ path }));
  });

  it('answers a conditional request with 304 and no body', async () => {
    const { headers } = await call({ path });
    const etag = headers['ETag'] ?? '';
    expect(await call({ path, headers: { 'If-None-Match': `"other", W/${etag}` } })).toEqual({
      statusCode: 304,
      headers: { ETag: etag, 'Cache-Control': 'public, max-age=3600', ...cors, ...security },
      body: '',
    });
    const other = await call({ path, headers: { 'If-None-Match': '"other"' } });
    expect(other.statusCode).toBe(200);
  });

  it('answers HEAD as GET without the body', async () => {
    const got = await call({ path });
    expect(await call({ path, method: 'HEAD' })).toEqual({ ...got, body: '' });
  });

  it('answers a preflight from any page', async () => {
    expect(await call({ path, method: 'OPTIONS' })).toEqual({
      statusCode: 204,
      headers: {
        Allow: 'GET, HEAD, OPTIONS',
        'Access-Control-Allow-Methods': 'GET, HEAD',
        'Access-Control-Allow-Headers': '*, Authorization',
        'Access-Control-Max-Age': '86400',
        ...cors,
        ...security,
      },
      body: '',
    });
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s: 405', async (method) => {
    expect(await call({ path, method })).toMatchObject({
      statusCode: 405,
      headers: { Allow: 'GET, HEAD, OPTIONS', 'Cache-Control': 'no-store' },
    });
  });
});

describe('the discovery documents', () => {
  it('are the same bytes', async () => {
    const [openid, oauth] = await Promise.all([
      call({ path: openidConfigurationPath }),
      call({ path: oauthAuthorizationServerPath }),
    ]);
    expect(openid).toEqual(oauth);
  });

  it('are not served at the path of another function', async () => {
    expect((await call({ path: tokenPath })).statusCode).toBe(404);
  });

  it('say of the token endpoint what it does', async () => {
    const metadata = JSON.parse((await call({ path: openidConfigurationPath })).body) as {
      readonly grant_types_supported: readonly string[];
      readonly issuer: string;
    };
    const { issue } = tokenWorld();
    for (const grantType of metadata.grant_types_supported) {
      expect((await issue({ body: `grant_type=${grantType}` })).statusCode).toBe(200);
    }
    expect((await issue({ headers: { Authorization: [] } })).headers['WWW-Authenticate']).toBe(
      `Basic realm="${metadata.issuer}"`,
    );
  });

  it('are reported without who asked but the address', () => {
    expect(reports.some(({ outcome }) => outcome === 'served')).toBe(true);
    expect(reports.some(({ outcome }) => outcome === 'not_modified')).toBe(true);
    for (const { fields } of reports) {
      const allowed = ['http_method', 'path', 'source_ip', 'request_id', 'trace_id'];
      expect(Object.keys(fields)).toEqual(allowed);
    }
  });
});

describe('the authorization endpoint', () => {
  const { telemetry: recorded, reports: refusals } = recordTelemetry();
  const withEndpoint = createDiscoveryHandler(
    { ...settings, authorizationEndpoint: true },
    { telemetry: recorded },
  );
  type Asked = Omit<ProxyRequest, 'path'>;
  const ask = (request: Asked, path: string = authorizationPath) =>
    withEndpoint(proxyEvent({ ...request, path }), lambdaContext());
  const refusal = {
    statusCode: 400,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      Pragma: 'no-cache',
      ...cors,
      ...security,
    },
    body: '{"error":"unsupported_response_type","error_description":"there is no authorization here, use the token endpoint"}',
  };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const callback = 'https://evil.example/callback';
  const query = `response_type=code&client_id=a&state=xyz&redirect_uri=${callback}`;

  it.each<readonly [string, Asked]>([
    ['no parameter', {}],
    ['a code', { query }],
    ['a token', { query: `response_type=token&redirect_uri=${callback}` }],
    ['the type that the document names', { query: 'response_type=none' }],
    ['no redirect address', { query: 'response_type=code' }],
    ['markup', { query: 'state=<script>alert(1)</script>' }],
    ['a new line', { query: 'redirect_uri=%0d%0aLocation:%20https://evil.example' }],
    ['another host', { query, headers: { Host: 'evil.example' } }],
    ['a condition', { headers: { 'If-None-Match': '*' } }],
    ['HTML wanted', { headers: { Accept: 'text/html' } }],
    ['a form', { method: 'POST', headers: form, body: query }],
    ['a body that is no form', { method: 'POST', body: '{' }],
    ['a credential', { method: 'POST', headers: { ...form, Authorization: 'Basic YTpi' } }],
  ])('answers by the same bytes: %s', async (_, request) => {
    expect(await ask(request)).toEqual(refusal);
  });

  it('answers HEAD as GET without the body', async () => {
    expect(await ask({ method: 'HEAD', query })).toEqual({ ...refusal, body: '' });
  });

  it.each(['OPTIONS', 'PUT', 'DELETE', 'PATCH'])('%s: 405', async (method) => {
    expect(await ask({ method, query })).toMatchObject({
      statusCode: 405,
      headers: { Allow: 'GET, HEAD, POST', 'Cache-Control': 'no-store' },
      body: '{"error":"invalid_request","error_description":"the method is not allowed at this path"}',
    });
  });

  it('is in both documents, which are the same bytes and otherwise as before', async () => {
    const [openid, oauth, usual] = await Promise.all([
      ask({}, openidConfigurationPath),
      ask({}, oauthAuthorizationServerPath),
      call({ path: openidConfigurationPath }),
    ]);
    expect(openid).toEqual(oauth);
    expect(JSON.parse(openid.body)).toEqual({
      ...JSON.parse(usual.body),
      authorization_endpoint: `https://auth.example.com${authorizationPath}`,
      code_challenge_methods_supported: ['S256'],
    });
  });

  it('does not exist unless the deployment has it', async () => {
    expect(await call({ path: authorizationPath, query })).toMatchObject({
      statusCode: 404,
      body: '{"error":"not_found","error_description":"there is nothing at this path"}',
    });
  });

  it('is reported without what the caller wrote', async () => {
    await ask({ query });
    const last = refusals.at(-1);
    expect(last).toMatchObject({ outcome: 'unsupported_response_type', statusCode: 400 });
    expect(JSON.stringify(refusals)).not.toContain('evil');
  });
});
