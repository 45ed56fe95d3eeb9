import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createLoginProvider,
  LoginError,
  type LoginProvider,
  type LoginRequest,
} from '../../../portal/login/login-provider.ts';

const client = { clientId: 'portal', clientSecret: 'a-secret-of-the-portal' };
const redirectUri = 'https://portal.example.com/login/callback';

/** What the provider does differently from a right one. */
interface Deviation {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: { readonly alg?: string; readonly kid?: string };
  /** Signs with a key that the provider does not publish. */
  readonly otherKey?: boolean;
  readonly tokenStatus?: number;
  readonly hang?: boolean;
  readonly discovery?: Readonly<Record<string, unknown>>;
}

const keys = await Promise.all([
  generateKeyPair('RS256', { extractable: true }),
  generateKeyPair('RS256', { extractable: true }),
  generateKeyPair('ES256', { extractable: true }),
]);
const [own, other, elliptic] = keys;

let deviation: Deviation = {};
let issuer = '';
const requests: {
  readonly path: string;
  readonly form: URLSearchParams;
  readonly authorization: string | undefined;
}[] = [];

const codes = new Map<string, { readonly nonce: string; readonly challenge: string }>();

async function idToken(nonce: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const alg = deviation.header?.alg ?? 'RS256';
  const pair = deviation.otherKey === true ? other : alg === 'ES256' ? elliptic : own;
  const claims = { sub: 'ada', nonce, auth_time: now, ...deviation.claims };
  const kid = deviation.header?.kid ?? (alg === 'ES256' ? 'elliptic' : 'own');
  const token = new SignJWT({
    iss: issuer,
    aud: client.clientId,
    iat: now,
    exp: now + 300,
    ...claims,
  });
  if (alg === 'none') {
    const text = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${text({ alg })}.${text({ iss: issuer, aud: client.clientId, iat: now, exp: now + 300, ...claims })}.`;
  }
  const key =
    alg === 'HS256'
      ? new TextEncoder().encode(client.clientSecret.padEnd(32, 'x'))
      : pair.privateKey;
  return token.setProtectedHeader({ alg, kid }).sign(key);
}

async function answerToken(form: URLSearchParams, send: (status: number, body: object) => void) {
  const code = codes.get(form.get('code') ?? '');
  codes.delete(form.get('code') ?? '');
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  if (deviation.tokenStatus !== undefined)
    return send(deviation.tokenStatus, { error: 'server_error' });
  if (code?.challenge !== challenge || form.get('redirect_uri') !== redirectUri) {
    return send(400, { error: 'invalid_grant' });
  }
  return send(200, {
    access_token: 'opaque',
    token_type: 'Bearer',
    expires_in: 60,
    id_token: await idToken(code.nonce),
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (deviation.hang === true) return;
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const path = request.url ?? '';
  const form = new URLSearchParams(text);
  requests.push({ path, form, authorization: request.headers.authorization });
  const send = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (path === '/jwks') {
    const jwk = async (index: number, kid: string, alg: string) => ({
      ...(await exportJWK(keys[index]?.publicKey ?? own.publicKey)),
      kid,
      alg,
      use: 'sig',
    });
    return send(200, { keys: [await jwk(0, 'own', 'RS256'), await jwk(2, 'elliptic', 'ES256')] });
  }
  if (path === '/token') return answerToken(form, send);
  return send(200, {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/end`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...deviation.discovery,
  });
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.writeHead(500).end());
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  deviation = {};
  requests.length = 0;
});

function createProvider(acceptsPromptLogin = false): LoginProvider {
  return createLoginProvider({
    ...client,
    issuer,
    clientSecret: async () => client.clientSecret,
    redirectUri,
    recentLogin: 300,
    acceptsPromptLogin,
    allowHttp: true,
  });
}

const request: LoginRequest = {
  state: 'state-state-state',
  nonce: 'nonce-nonce-nonce',
  codeVerifier: 'v'.repeat(43),
  kind: 'normal',
};

/** The provider's redirect back to the portal. */
async function authorize(provider: LoginProvider, wanted: LoginRequest = request): Promise<URL> {
  const url = new URL(await provider.authorizationUrl(wanted));
  const code = crypto.randomUUID();
  codes.set(code, {
    nonce: url.searchParams.get('nonce') ?? '',
    challenge: url.searchParams.get('code_challenge') ?? '',
  });
  const callback = new URL(redirectUri);
  callback.search = new URLSearchParams({ code, state: wanted.state, iss: issuer }).toString();
  return callback;
}

async function problemOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(LoginError);
    return (error as LoginError).problem;
  }
}

describe('the request to the provider', () => {
  it('is a code flow with PKCE, state, nonce and the exact redirect', async () => {
    const url = new URL(await createProvider().authorizationUrl(request));
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: client.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      state: request.state,
      nonce: request.nonce,
      code_challenge: createHash('sha256').update(request.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
  });

  it.each([
    ['silent', false, { prompt: 'none' }],
    ['forced', false, { prompt: 'login' }],
    ['recent', false, { max_age: '300' }],
    ['recent', true, { prompt: 'login' }],
  ] as const)('as a %s login, with prompt=login accepted: %s', async (kind, accepts, expected) => {
    const url = new URL(await createProvider(accepts).authorizationUrl({ ...request, kind }));
    expect(Object.fromEntries(url.searchParams)).toMatchObject(expected);
  });

  it('reads the metadata once', async () => {
    const provider = createProvider();
    await Promise.all([1, 2, 3].map(() => provider.authorizationUrl(request)));
    expect(requests).toHaveLength(1);
  });
});

describe('the answer of the provider', () => {
  it('is accepted once, with the claims of its ID token', async () => {
    const provider = createProvider();
    const callback = await authorize(provider);
    expect(await provider.finish(callback, request)).toMatchObject({ sub: 'ada', iss: issuer });
    const token = requests.find(({ path }) => path === '/token');
    expect(token?.form.get('grant_type')).toBe('authorization_code');
    expect(token?.authorization).toMatch(/^Basic /);
    expect(await problemOf(provider.finish(callback, request))).toBe('invalid');
  });

  it.each<[string, Deviation]>([
    ['another nonce', { claims: { nonce: 'of-another-login' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another audience', { claims: { aud: 'another-client' } }],
    ['several audiences and another azp', { claims: { aud: ['portal', 'x'], azp: 'x' } }],
    ['an end that has passed', { claims: { exp: 1_000_000_000 } }],
    ['no subject', { claims: { sub: undefined } }],
    ['the algorithm none', { header: { alg: 'none' } }],
    ['the algorithm HS256', { header: { alg: 'HS256' } }],
    ['another algorithm than the configured one', { header: { alg: 'ES256' } }],
    ['the signature of another key', { otherKey: true }],
    ['an unknown key', { header: { kid: 'unknown' } }],
  ])('is refused with %s', async (_, wrong) => {
    const provider = createProvider();
    const callback = await authorize(provider);
    deviation = wrong;
    expect(await problemOf(provider.finish(callback, request))).toBe('invalid');
    deviation = {};
    expect(await problemOf(provider.finish(await authorize(provider), request))).toBe('accepted');
  });

  it.each<[string, (url: URL) => void]>([
    ['another state', (url) => url.searchParams.set('state', 'another')],
    ['no state', (url) => url.searchParams.delete('state')],
    ['another iss', (url) => url.searchParams.set('iss', 'https://evil.example')],
    ['no iss, although the provider promised it', (url) => url.searchParams.delete('iss')],
    ['two codes', (url) => url.searchParams.append('code', 'another')],
    ['no code', (url) => url.searchParams.delete('code')],
    ['an unknown code', (url) => url.searchParams.set('code', 'unknown')],
  ])('is refused with %s in the address', async (_, change) => {
    const provider = createProvider();
    const callback = await authorize(provider);
    change(callback);
    expect(await problemOf(provider.finish(callback, request))).toBe('invalid');
    expect(await problemOf(provider.finish(await authorize(provider), request))).toBe('accepted');
  });

  it('is refused with the code verifier of another login', async () => {
    const provider = createProvider();
    const callback = await authorize(provider);
    const wrong = { ...request, codeVerifier: 'w'.repeat(43) };
    expect(await problemOf(provider.finish(callback, wrong))).toBe('invalid');
  });

  it.each([
    ['login_required', 'needs_person'],
    ['interaction_required', 'needs_person'],
    ['access_denied', 'refused'],
    ['temporarily_unavailable', 'unavailable'],
  ])('can be the error %s', async (error, problem) => {
    const provider = createProvider();
    const callback = await authorize(provider);
    callback.search = new URLSearchParams({ error, state: request.state, iss: issuer }).toString();
    expect(await problemOf(provider.finish(callback, request))).toBe(problem);
  });

  it.each<[string, Deviation['claims'], string]>([
    ['now', {}, 'accepted'],
    ['an hour ago', { auth_time: Math.floor(Date.now() / 1000) - 3600 }, 'invalid'],
    ['at a time that it does not tell', { auth_time: undefined }, 'invalid'],
  ])('for a credential is of a person who signed in %s', async (_, claims, expected) => {
    const provider = createProvider();
    const recent: LoginRequest = { ...request, kind: 'recent' };
    const callback = await authorize(provider, recent);
    deviation = { claims: claims ?? {} };
    expect(await problemOf(provider.finish(callback, recent))).toBe(expected);
  });
});

describe('a provider that fails', () => {
  it.each<[string, Deviation]>([
    ['answers 500 to the code', { tokenStatus: 500 }],
    ['does not answer to the code', { hang: true }],
  ])(
    'and %s is unavailable',
    async (_, wrong) => {
      const provider = createProvider();
      const callback = await authorize(provider);
      deviation = wrong;
      expect(await problemOf(provider.finish(callback, request))).toBe('unavailable');
    },
    30_000,
  );

  it('and has another issuer in its metadata is refused, and tried again', async () => {
    const provider = createProvider();
    deviation = { discovery: { issuer: 'https://evil.example' } };
    expect(await problemOf(provider.authorizationUrl(request))).toBe('invalid');
    deviation = {};
    expect(await problemOf(provider.authorizationUrl(request))).toBe('accepted');
  });

  it('and cannot be reached is unavailable, and tried again', async () => {
    const provider = createLoginProvider({
      ...client,
      issuer: 'http://127.0.0.1:1',
      clientSecret: async () => client.clientSecret,
      redirectUri,
      recentLogin: 300,
      allowHttp: true,
    });
    expect(await problemOf(provider.authorizationUrl(request))).toBe('unavailable');
  });

  it('says where its session ends, or that it has no such address', async () => {
    const back = 'https://portal.example.com/signed-out';
    const url = new URL((await createProvider().endSessionUrl(back)) ?? '');
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(back);
    deviation = { discovery: { end_session_endpoint: undefined } };
    expect(await createProvider().endSessionUrl(back)).toBeUndefined();
  });
});
