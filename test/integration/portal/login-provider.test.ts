import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { loginFetch } from '../../../adapters/https/login-fetch.ts';
import {
  type Deviation,
  loginClient,
  TestOpenIdProvider,
} from '../../../lab/support/openid-provider.ts';
import {
  createLoginProvider,
  LoginError,
  type LoginProvider,
  type LoginRequest,
} from '../../../portal/login/login-provider.ts';

// One test waits for the limit of production.
vi.unmock('../../../contract/bounds.ts');

const redirectUri = 'https://portal.example.com/login/callback';
const openid = new TestOpenIdProvider(redirectUri);

beforeAll(() => openid.start());
afterAll(() => openid.close());
afterEach(() => {
  openid.deviation = {};
  openid.requests.length = 0;
});

function createProvider(
  acceptsPromptLogin = false,
  clientSecret = async () => loginClient.clientSecret,
): LoginProvider {
  return createLoginProvider({
    ...loginClient,
    issuer: openid.issuer,
    clientSecret,
    fetch: loginFetch,
    redirectUri,
    recentLogin: 300,
    acceptsPromptLogin,
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
  return openid.authorize(await provider.authorizationUrl(wanted));
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
      client_id: loginClient.clientId,
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
    ['recent', true, { max_age: '300' }],
  ] as const)('as a %s login, with prompt=login accepted: %s', async (kind, accepts, expected) => {
    const url = new URL(await createProvider(accepts).authorizationUrl({ ...request, kind }));
    expect(Object.fromEntries(url.searchParams)).toMatchObject(expected);
  });

  it('reads the metadata once', async () => {
    const provider = createProvider();
    await Promise.all([1, 2, 3].map(() => provider.authorizationUrl(request)));
    expect(openid.requests).toHaveLength(1);
  });
});

describe('the answer of the provider', () => {
  it('is accepted once, with the claims of its ID token', async () => {
    const provider = createProvider();
    const callback = await authorize(provider);
    expect(await provider.finish(callback, request)).toMatchObject({
      sub: 'ada',
      iss: openid.issuer,
    });
    const token = openid.requests.find(({ path }) => path === '/token');
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
    openid.deviation = wrong;
    expect(await problemOf(provider.finish(callback, request))).toBe('invalid');
    openid.deviation = {};
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
    callback.search = new URLSearchParams({
      error,
      state: request.state,
      iss: openid.issuer,
    }).toString();
    expect(await problemOf(provider.finish(callback, request))).toBe(problem);
  });

  it.each<[string, Deviation['claims'], string]>([
    ['now', {}, 'accepted'],
    ['an hour ago', { auth_time: Math.floor(Date.now() / 1000) - 3600 }, 'invalid'],
    ['at a time as text', { auth_time: String(Math.floor(Date.now() / 1000)) }, 'invalid'],
    ['at a time in a list', { auth_time: [Math.floor(Date.now() / 1000)] }, 'invalid'],
    ['before 1970', { auth_time: -1 }, 'invalid'],
    ['at a time that it does not tell', { auth_time: undefined }, 'no_login_time'],
  ])('for a credential is of a person who signed in %s', async (_, claims, expected) => {
    const provider = createProvider();
    const recent: LoginRequest = { ...request, kind: 'recent' };
    const callback = await authorize(provider, recent);
    openid.deviation = { claims: claims ?? {} };
    expect(await problemOf(provider.finish(callback, recent))).toBe(expected);
  });
});

describe('a provider without auth_time', () => {
  const pushes = () => ({
    discovery: { pushed_authorization_request_endpoint: `${openid.issuer}/par` },
    claims: { auth_time: undefined },
  });

  it.each(['recent', 'forced'] as const)(
    'is asked for credentials by a pushed request, for a %s login',
    async (kind) => {
      openid.deviation = pushes();
      const provider = createProvider(true);
      const wanted = { ...request, kind };
      const url = new URL(await provider.authorizationUrl(wanted));
      expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
      const pushed = openid.requests.find(({ path }) => path === '/par');
      expect(pushed?.form.get('prompt')).toBe('login');
      expect(pushed?.authorization).toMatch(/^Basic /);
      const claims = await provider.finish(openid.authorize(url.href), wanted);
      expect(Math.abs(Number(claims['auth_time']) - Date.now() / 1000)).toBeLessThan(60);
    },
  );

  it.each<[string, boolean, () => Deviation]>([
    ['that takes no pushed requests', true, () => ({ claims: { auth_time: undefined } })],
    ['whose answers the config does not accept', false, pushes],
  ])('%s gives no credential', async (_, accepts, deviation) => {
    openid.deviation = deviation();
    const provider = createProvider(accepts);
    const recent: LoginRequest = { ...request, kind: 'recent' };
    const callback = await authorize(provider, recent);
    expect(await problemOf(provider.finish(callback, recent))).toBe('no_login_time');
    const forced: LoginRequest = { ...request, kind: 'forced' };
    const claims = await provider.finish(await authorize(provider, forced), forced);
    expect(claims['auth_time']).toBeUndefined();
  });

  it.each(['recent', 'normal'] as const)(
    'does not count a request that a browser sent, for a %s login',
    async (kind) => {
      openid.deviation = { claims: { auth_time: undefined } };
      const wanted: LoginRequest = { ...request, kind };
      // Another instance read the metadata before there were pushed requests.
      const callback = await authorize(createProvider(true), wanted);
      openid.deviation = pushes();
      const finished = createProvider(true).finish(callback, wanted);
      if (kind === 'recent') expect(await problemOf(finished)).toBe('invalid');
      else expect((await finished)['auth_time']).toBeUndefined();
    },
  );
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
      openid.deviation = wrong;
      expect(await problemOf(provider.finish(callback, request))).toBe('unavailable');
    },
    30_000,
  );

  it('and has another issuer in its metadata is refused, and tried again', async () => {
    const provider = createProvider();
    openid.deviation = { discovery: { issuer: 'https://evil.example' } };
    expect(await problemOf(provider.authorizationUrl(request))).toBe('invalid');
    openid.deviation = {};
    expect(await problemOf(provider.authorizationUrl(request))).toBe('accepted');
  });

  it('and knows another client secret is asked with the one of then at the next login', async () => {
    let reads = 0;
    const provider = createProvider(false, async () => {
      reads += 1;
      return loginClient.clientSecret;
    });
    const callback = await authorize(provider);
    openid.deviation = { tokenStatus: 401 };
    expect(await problemOf(provider.finish(callback, request))).toBe('invalid');
    openid.deviation = {};
    expect(reads).toBe(1);
    expect(await problemOf(provider.finish(await authorize(provider), request))).toBe('accepted');
    expect(reads).toBe(2);
  });

  it('and cannot be reached is unavailable, and tried again', async () => {
    const provider = createLoginProvider({
      ...loginClient,
      issuer: 'https://127.0.0.1:1',
      clientSecret: async () => loginClient.clientSecret,
      fetch: loginFetch,
      redirectUri,
      recentLogin: 300,
    });
    expect(await problemOf(provider.authorizationUrl(request))).toBe('unavailable');
  });

  it('says where its session ends, or that it has no such address', async () => {
    const back = 'https://portal.example.com/signed-out';
    const url = new URL((await createProvider().endSessionUrl(back)) ?? '');
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(back);
    openid.deviation = { discovery: { end_session_endpoint: undefined } };
    expect(await createProvider().endSessionUrl(back)).toBeUndefined();
  });
});
