import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  authorizationPath,
  jwksPath,
  oauthAuthorizationServerPath,
  openidConfigurationPath,
  tokenPath,
} from '../../../contract/routes.ts';
import { OpenapiSchemas } from '../../support/openapi.ts';
import {
  credentialsOf,
  fetchToken,
  requestToken,
  useLocalService,
} from '../lab/local/use-local-service.ts';

const service = useLocalService({ authorizationEndpoint: true });
const schemas = new OpenapiSchemas();

const documents = [openidConfigurationPath, oauthAuthorizationServerPath, jwksPath] as const;

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly response: Response;
}

async function problemsOf({ path, method, response }: Sent): Promise<readonly string[]> {
  const documented = schemas.responseOf(path, method.toLowerCase(), response.status);
  return schemas.responseProblems(documented, response);
}

function send(path: string, init: RequestInit): Promise<Response> {
  return fetch(service().issuer + path, init);
}

function post(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const authorization = { authorization: credentialsOf(service()) };
  return send(tokenPath, {
    method: 'POST',
    headers: { ...type, ...authorization, ...headers },
    body,
  });
}

describe('the token endpoint answers as docs/openapi.yaml says', () => {
  it('with a token', async () => {
    const response = await requestToken(service());
    expect(response.status).toBe(200);
    expect(await problemsOf({ path: tokenPath, method: 'POST', response })).toEqual([]);
  });

  it('whose header and claims are documented', async () => {
    const token = await fetchToken(service());
    expect(schemas.problemsOf('AccessTokenHeader', decodeProtectedHeader(token))).toEqual([]);
    expect(schemas.problemsOf('AccessTokenClaims', decodeJwt(token))).toEqual([]);
  });

  const grant = 'grant_type=client_credentials';
  it.each([
    ['no grant type', 400, '', {}],
    ['another grant type', 400, 'grant_type=password', {}],
    ['a scope that is not the client’s', 400, `${grant}&scope=calls:view`, {}],
    ['a foreign resource', 400, `${grant}&resource=https://evil.example`, {}],
    ['JSON', 400, '{}', { 'content-type': 'application/json' }],
    ['a wrong secret', 401, grant, { authorization: 'Basic YTpi' }],
    ['another scheme', 401, grant, { authorization: 'Bearer a' }],
    ['headers that are too large', 431, grant, { 'x-filler': 'x'.repeat(11_000) }],
  ])('to %s, with %i', async (_, status, body, headers) => {
    const response = await post(body, headers);
    expect(response.status).toBe(status);
    expect(await problemsOf({ path: tokenPath, method: 'POST', response })).toEqual([]);
  });
});

describe.each(documents)('%s answers as docs/openapi.yaml says', (path) => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('to %s', async (method) => {
    const response = await send(path, { method });
    expect(response.status).toBe(method === 'OPTIONS' ? 204 : 200);
    expect(await problemsOf({ path, method, response })).toEqual([]);
  });

  it('to a conditional GET', async () => {
    const etag = (await send(path, {})).headers.get('etag') ?? '';
    const response = await send(path, { headers: { 'if-none-match': etag } });
    expect(response.status).toBe(304);
    expect(await problemsOf({ path, method: 'GET', response })).toEqual([]);
  });
});

describe('the authorization endpoint answers as docs/openapi.yaml says', () => {
  const query = '?response_type=code&client_id=a&redirect_uri=https://evil.example/&state=xyz';

  it.each(['GET', 'HEAD', 'POST'])('to %s, and never redirects', async (method) => {
    const response = await send(authorizationPath + query, { method, redirect: 'manual' });
    expect(response.status).toBe(400);
    expect(response.headers.has('location')).toBe(false);
    if (method !== 'HEAD') expect(await response.clone().text()).not.toContain('evil');
    expect(await problemsOf({ path: authorizationPath, method, response })).toEqual([]);
  });

  it('at the address that the discovery document names', async () => {
    const response = await send(openidConfigurationPath, {});
    const { authorization_endpoint: address } = (await response.json()) as Record<string, unknown>;
    expect(address).toBe(service().issuer + authorizationPath);
  });
});

describe('every other method', () => {
  it.each([tokenPath, authorizationPath, ...documents])(
    'at %s gets the documented 405',
    async (path) => {
      const response = await send(path, { method: 'DELETE' });
      expect(response.status).toBe(405);
      const method = path === tokenPath ? 'POST' : 'GET';
      expect(await problemsOf({ path, method, response })).toEqual([]);
    },
  );
});

describe('a response that is not as documented', () => {
  it('is seen', async () => {
    const documented = schemas.responseOf(tokenPath, 'post', 200);
    const response = new Response('{"access_token":"x"}', { headers: { pragma: 'no-cache' } });
    const problems = await schemas.responseProblems(documented, response);
    expect(problems).toContain('Cache-Control is missing');
    expect(problems.at(-1)).toContain("must have required property 'token_type'");
  });
});
