import { describe, expect, it } from 'vitest';
import { createTestKey } from '../../../lab/support/test-issuer.ts';
import { unseal } from '../../../portal/login/sealing.ts';
import {
  ada,
  Browser,
  createLoginWorld,
  issuer,
  type LoginWorld,
  origin,
  sealingKey,
} from './login-world.ts';

const newClient = {
  name: 'Dialer',
  serviceTrunkGroup: 'tg-1001',
  tokenLifetime: '1h',
  scopes: 'calls:view',
};

const sessionCookie = '__Host-session';

async function expectPage(response: Response, status: number, title: string): Promise<string> {
  const text = await response.text();
  expect([response.status, /<h1>([^<]*)/.exec(text)?.[1]]).toEqual([status, title]);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return text;
}

describe('a login', () => {
  it('leads to the provider and back to the page that was wanted', async () => {
    const { browser, provider } = await createLoginWorld();
    const away = await browser.get('/clients?text=bill');
    expect(away.status).toBe(303);
    expect(away.headers.get('location')).toMatch(/^https:\/\/login\.example\.com\/authorize/);
    const [request] = provider.requests;
    expect(request?.kind).toBe('normal');
    expect(new Set([request?.state, request?.nonce, request?.codeVerifier]).size).toBe(3);
    const back = await browser.get(browser.callback(away));
    expect([back.status, back.headers.get('location')]).toEqual([303, '/clients?text=bill']);
    expect([...browser.cookies.keys()]).toEqual([sessionCookie]);
    const page = await (await browser.get('/clients')).text();
    expect(page).toContain('ada@example.com');
    expect(page).toContain('Billing');
  });

  it('makes cookies that only this host can set, and that scripts cannot read', async () => {
    const { browser } = await createLoginWorld();
    const away = await browser.get('/');
    const [attempt = ''] = away.headers.getSetCookie();
    expect(attempt).toMatch(
      /^__Host-login-[0-9a-f]{16}=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=600$/,
    );
    const [session = ''] = (await browser.get(browser.callback(away))).headers.getSetCookie();
    expect(session).toMatch(/^__Host-session=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(session).not.toContain('ada');
  });

  it('names the person by issuer and subject in the audit', async () => {
    const world = await createLoginWorld();
    const { browser } = world;
    await browser.signIn();
    await browser.post('/clients', newClient);
    expect(world.audit.at(-1)?.actor).toBe(`${issuer}#ada`);
  });

  it.each([
    ['a picture', { 'sec-fetch-mode': 'no-cors' }],
    ['a script', { 'sec-fetch-mode': 'cors' }],
    ['a page that is fetched ahead', { 'sec-purpose': 'prefetch' }],
  ])('does not begin for %s', async (_, headers) => {
    const { browser, provider } = await createLoginWorld();
    expect((await browser.get('/clients', headers)).status).toBe(401);
    expect(provider.requests).toEqual([]);
  });
});

/** What a callback must not be. Each is refused, and the same login is completed without it. */
const badCallbacks: readonly (readonly [
  name: string,
  send: (world: LoginWorld, callback: string) => Promise<Response>,
])[] = [
  [
    'another state',
    // Its first character is random.
    ({ browser }, url) =>
      browser.get(url.replace(/state=(.)/, (_, first) => `state=${first === '_' ? '-' : '_'}`)),
  ],
  ['no state', ({ browser }, url) => browser.get(url.replace(/&state=.*/, ''))],
  ['another browser', ({ browser }, url) => new Browser(browser.portal).get(url)],
  [
    'the cookie of another login',
    async ({ browser }, url) => {
      const other = new Browser(browser.portal);
      await other.get('/');
      return other.get(url);
    },
  ],
  [
    'a changed cookie',
    async ({ browser }, url) => {
      const other = new Browser(browser.portal);
      for (const [name, value] of browser.cookies) {
        other.cookies.set(name, `${value.slice(0, -4)}AAAA`);
      }
      return other.get(url);
    },
  ],
  [
    'a login that began 11 minutes ago',
    async (world, url) => {
      world.now += 660;
      const response = await world.browser.get(url);
      world.now -= 660;
      return response;
    },
  ],
];

describe.each(badCallbacks)('a callback with %s', (_, send) => {
  it('is refused, and the right one is accepted', async () => {
    const world = await createLoginWorld();
    const callback = world.browser.callback(await world.browser.get('/clients'));
    await expectPage(await send(world, callback), 400, 'This login is over');
    expect(world.browser.cookies.has(sessionCookie)).toBe(false);
    expect((await world.browser.get(callback)).status).toBe(303);
    expect(world.browser.cookies.has(sessionCookie)).toBe(true);
  });
});

describe('a callback', () => {
  it('works once', async () => {
    const { browser } = await createLoginWorld();
    const callback = browser.callback(await browser.get('/clients'));
    await browser.get(callback);
    await expectPage(await browser.get(callback), 400, 'This login is over');
    expect((await browser.get('/clients')).status).toBe(200);
  });

  it.each([
    ['unavailable', 503, 'The login does not answer'],
    ['refused', 403, 'The login was refused'],
    ['invalid', 400, 'This login cannot be completed'],
    ['needs_person', 401, 'Sign in again'],
  ] as const)('shows a page if the login is %s', async (failure, status, title) => {
    const { browser, provider, events } = await createLoginWorld();
    const callback = browser.callback(await browser.get('/clients'));
    provider.failure = failure;
    await expectPage(await browser.get(callback), status, title);
    expect(browser.cookies.size).toBe(0);
    expect(events.at(-1)?.outcome).toBe(failure);
  });

  it('is for one of many tabs, and old tabs end', async () => {
    const { browser } = await createLoginWorld();
    const callbacks: string[] = [];
    for (let tab = 0; tab < 8; tab++) {
      callbacks.push(browser.callback(await browser.get(`/clients?text=${tab}`)));
    }
    expect(browser.cookies.size).toBe(5);
    const back = await browser.get(callbacks[4] ?? '');
    expect(back.headers.get('location')).toBe('/clients?text=4');
    await expectPage(await browser.get(callbacks[0] ?? ''), 400, 'This login is over');
  });
});

describe('people', () => {
  it.each([
    ['no group', { ...ada, groups: [] }, 'none of the groups'],
    ['a group that has no role', { ...ada, groups: ['others'] }, 'none of the groups'],
    [
      'groups that are elsewhere',
      { ...ada, groups: undefined, _claim_names: { groups: 'src1' } },
      'did not send them',
    ],
    [
      'trunk groups that are elsewhere',
      { ...ada, trunk_groups: undefined, _claim_names: { trunk_groups: 'src1' } },
      'did not send them',
    ],
    ['no trunk group', { ...ada, trunk_groups: [] }, 'no service trunk group'],
    ['what is not a trunk group', { ...ada, trunk_groups: ['../x', 7, ''] }, 'no service trunk'],
    [
      '101 trunk groups',
      { ...ada, trunk_groups: Array.from({ length: 101 }, (_, index) => `tg-${index}`) },
      'more than 100 service trunk groups',
    ],
  ])('with %s get a page that says whom to ask', async (_, claims, reason) => {
    const { browser, provider } = await createLoginWorld();
    provider.claims = claims;
    const text = await expectPage(await browser.signIn(), 403, 'You have no access');
    expect(text).toContain(reason);
    expect(text).toContain('support@example.com');
    expect(text).toContain('<strong>ada@example.com</strong>');
    expect(text).toMatch(/href="[^"]*\/login\?again=1[^"]*">Sign in as another person</);
    expect(browser.cookies.size).toBe(0);
  });

  it('with 100 trunk groups of 40 characters fit into a cookie', async () => {
    const { browser, provider } = await createLoginWorld();
    provider.claims = {
      ...ada,
      trunk_groups: Array.from({ length: 100 }, (_, index) => `${index}-`.padEnd(40, 'abcdefgh')),
    };
    expect((await browser.signIn()).status).toBe(303);
    expect((await browser.get('/clients')).status).toBe(200);
  });

  it('with trunk groups that no cookie holds get a page that says why', async () => {
    const { browser, provider } = await createLoginWorld();
    const random = () => crypto.randomUUID() + crypto.randomUUID().slice(0, 28);
    provider.claims = { ...ada, trunk_groups: Array.from({ length: 100 }, random) };
    await expectPage(await browser.signIn(), 403, 'You have too many trunk groups');
    expect(browser.cookies.size).toBe(0);
  });

  it('are administrators only if the config says so', async () => {
    const { browser, provider, restart } = await createLoginWorld();
    provider.claims = { ...ada, groups: ['managers', 'staff'] };
    await browser.signIn();
    expect(await (await browser.get('/')).text()).toContain('Administrator');
    browser.cookies.clear();
    const { people } = await import('./login-world.ts');
    restart({ people: { ...people, administrators: false } });
    await browser.signIn();
    expect(await (await browser.get('/')).text()).toContain('Manager, tg-1001');
  });
});

describe('a session', () => {
  it('is renewed by requests, and ends 30 minutes after the last one', async () => {
    const world = await createLoginWorld();
    const { browser, provider } = world;
    await browser.signIn();
    world.now += 900;
    expect((await browser.get('/clients')).headers.getSetCookie()).toHaveLength(1);
    world.now += 900;
    expect((await browser.get('/clients')).status).toBe(200);
    world.now += 1801;
    const text = await expectPage(await browser.get('/clients'), 401, 'Sign in again');
    expect(text).toContain('href="/login?again=1&amp;to=%2Fclients"');
    await browser.get('/login?again=1&to=%2Fclients');
    expect(provider.requests.at(-1)?.kind).toBe('forced');
  });

  it('sets no cookie with each response', async () => {
    const world = await createLoginWorld();
    await world.browser.signIn();
    world.now += 30;
    expect((await world.browser.get('/clients')).headers.getSetCookie()).toEqual([]);
  });

  it('is continued after 30 minutes by a silent login, with the roles of then', async () => {
    const world = await createLoginWorld();
    const { browser, provider } = world;
    await browser.signIn();
    for (let minutes = 0; minutes < 30; minutes += 10) {
      world.now += 600;
      expect((await browser.get('/')).status).toBe(200);
    }
    world.now += 1;
    provider.claims = { ...ada, groups: ['readers'] };
    const away = await browser.get('/clients');
    expect(provider.requests.at(-1)?.kind).toBe('silent');
    await browser.get(browser.callback(away));
    expect(await (await browser.get('/')).text()).toContain('Viewer');
    expect((await browser.post('/clients', newClient)).status).toBe(403);
  });

  it.each([
    ['the provider needs the person', 'needs_person', ada],
    ['the provider has another person', undefined, { ...ada, sub: 'bob' }],
  ] as const)('is not continued if %s', async (_, failure, claims) => {
    const world = await createLoginWorld();
    const { browser, provider } = world;
    await browser.signIn();
    for (const seconds of [900, 900, 1]) {
      world.now += seconds;
      if (seconds === 900) await browser.get('/');
    }
    const away = await browser.get('/clients');
    provider.failure = failure;
    provider.claims = claims;
    const text = await expectPage(await browser.get(browser.callback(away)), 401, 'Sign in again');
    expect(text).toContain('href="/login?to=%2Fclients"');
    expect(text).not.toContain('http-equiv');
  });

  it('goes on while the provider does not answer, and a new one cannot begin', async () => {
    const { browser, provider } = await createLoginWorld();
    await browser.signIn();
    provider.failure = 'unavailable';
    expect((await browser.get('/clients')).status).toBe(200);
    const other = new Browser(browser.portal);
    await expectPage(await other.get('/clients'), 503, 'The login does not answer');
  });

  it('ends with a higher epoch', async () => {
    const { browser, restart, provider } = await createLoginWorld();
    await browser.signIn();
    restart({ epoch: 2 });
    expect((await browser.get('/clients')).status).toBe(303);
    expect(provider.requests.at(-1)?.kind).toBe('normal');
  });

  it('ends if the login gets another issuer', async () => {
    const { browser, restart, provider } = await createLoginWorld();
    await browser.signIn();
    restart({ provider: { ...provider, issuer: 'https://other.example.com' } });
    expect((await browser.get('/clients')).status).toBe(303);
  });

  it('outlives the rotation of its key once', async () => {
    const { browser, restart } = await createLoginWorld();
    await browser.signIn();
    restart({ keys: async () => [sealingKey(2), sealingKey(1)] });
    expect((await browser.get('/clients')).status).toBe(200);
    restart({ keys: async () => [sealingKey(3), sealingKey(2)] });
    expect((await browser.get('/clients')).status).toBe(303);
  });

  it('is sealed with the newer key when it is renewed', async () => {
    const world = await createLoginWorld();
    const { browser, restart } = world;
    await browser.signIn();
    restart({ keys: async () => [sealingKey(2), sealingKey(1)] });
    world.now += 61;
    await browser.get('/clients');
    const cookie = browser.cookies.get(sessionCookie) ?? '';
    expect(unseal([sealingKey(2)], 'session', cookie)).toBeDefined();
  });

  it.each([
    [
      'changed',
      (value: string) => `${value.slice(0, 20)}${value[20] === 'A' ? 'B' : 'A'}${value.slice(21)}`,
    ],
    ['cut', (value: string) => value.slice(0, -1)],
    ['longer', (value: string) => `${value}A`],
    ['padded', (value: string) => `${value}=`],
    ['empty', () => ''],
    ['too large', () => 'A'.repeat(5000)],
    ['JSON', () => '{"sub":"ada"}'],
  ])('is not opened by a cookie that is %s', async (_, change) => {
    const { browser } = await createLoginWorld();
    await browser.signIn();
    browser.cookies.set(sessionCookie, change(browser.cookies.get(sessionCookie) ?? ''));
    expect((await browser.get('/clients')).status).toBe(303);
    expect((await browser.post('/clients', { name: 'x' })).status).toBe(401);
  });

  it('is not opened by the cookie of a login', async () => {
    const { browser } = await createLoginWorld();
    await browser.get('/clients');
    const [attempt = ''] = browser.cookies.values();
    browser.cookies.set(sessionCookie, attempt);
    expect((await browser.post('/clients', { name: 'x' })).status).toBe(401);
  });
});

describe('a form whose session ended', () => {
  it('keeps what was typed, is not sent to the provider, and can be sent again', async () => {
    const world = await createLoginWorld();
    const { browser, provider } = world;
    await browser.signIn();
    world.now += 1900;
    const form = newClient;
    const count = provider.requests.length;
    const text = await expectPage(
      await browser.post('/clients', form),
      401,
      'You are not signed in',
    );
    expect(provider.requests).toHaveLength(count);
    expect(text).toContain('<form method="post" action="/clients"');
    expect(text).toContain('name="name" value="Dialer"');
    expect(text).toContain('href="/login?to=%2Flogin%2Fdone" target="_blank"');
    await browser.signIn('/login?to=%2Flogin%2Fdone');
    expect((await browser.post('/clients', form)).status).toBe(303);
  });

  it('for a credential needs one login, after which the page says to go back and send it', async () => {
    const world = await createLoginWorld();
    const { browser, provider, clientId } = world;
    provider.claims = { ...ada, auth_time: world.now };
    await browser.signIn();
    world.now += 1860;
    const form = { requestId: 'request-1' };
    const path = `/clients/${clientId}/secrets`;
    const page = await expectPage(await browser.post(path, form), 401, 'You are not signed in');
    const [, address = ''] = /href="(\/login[^"]*)" target="_blank"/.exec(page) ?? [];
    const login = await browser.get(address.replaceAll('&amp;', '&'));
    expect(provider.requests.at(-1)?.kind).toBe('recent');
    provider.claims = { ...ada, auth_time: world.now };
    const back = await browser.get(browser.callback(login));
    expect(back.headers.get('location')).toBe('/login/done');
    await expectPage(await browser.get('/login/done'), 200, 'You are signed in');
    expect((await browser.post(path, form)).status).toBe(200);
  });

  it('does not keep a credential', async () => {
    const { browser } = await createLoginWorld();
    const response = await browser.post('/explain/credential', { credential: 'ak_value' });
    expect(await response.text()).not.toContain('ak_value');
  });
});

describe('a credential', () => {
  const newSecret = ({ clientId }: LoginWorld) => `/clients/${clientId}/secrets/new`;

  it('needs a login of the last ten minutes, which its form asks for', async () => {
    const world = await createLoginWorld();
    const { browser, provider, clientId } = world;
    await browser.signIn();
    const away = await browser.get(newSecret(world));
    expect(away.headers.get('location')).toBe(
      `/login?recent=1&to=%2Fclients%2F${clientId}%2Fsecrets%2Fnew`,
    );
    const login = await browser.get(away.headers.get('location') ?? '');
    expect(provider.requests.at(-1)?.kind).toBe('recent');
    provider.claims = { ...ada, auth_time: world.now - 60 };
    const back = await browser.get(browser.callback(login));
    expect(back.headers.get('location')).toBe(newSecret(world));
    expect((await browser.get(newSecret(world))).status).toBe(200);
    const form = { requestId: 'request-1' };
    expect((await browser.post(`/clients/${clientId}/secrets`, form)).status).toBe(200);
  });

  it.each([
    ['POST /clients/:id/secrets', (world: LoginWorld) => `/clients/${world.clientId}/secrets`],
    ['a rotation', (world: LoginWorld) => `/clients/${world.clientId}/secrets/rotate`],
    ['a new public key', (world: LoginWorld) => `/clients/${world.clientId}/keys`],
    ['a new API key', () => '/api-keys'],
  ])('is refused by %s after ten minutes, and the form is kept', async (_, path) => {
    const world = await createLoginWorld();
    const { browser, provider } = world;
    provider.claims = { ...ada, auth_time: world.now };
    await browser.signIn();
    const form = {
      name: 'blue',
      requestId: 'request-1',
      ifVersion: String((await world.management.findClient(world.clientId)).version),
      overlap: '1d',
      publicKey: JSON.stringify(createTestKey('ES256').jwk),
      serviceTrunkGroup: 'tg-1001',
    };
    const before = world.audit.length;
    world.now += 601;
    const text = await expectPage(await browser.post(path(world), form), 401, 'Sign in again');
    expect(text).toContain('name="name" value="blue"');
    expect(text).toContain('href="/login?recent=1&amp;to=%2Flogin%2Fdone"');
    expect(world.audit).toHaveLength(before);
    world.now -= 2;
    expect([200, 303]).toContain((await browser.post(path(world), form)).status);
  });

  // Tokens of the provider are accepted at once, so neither needs a secret of this service.
  it.each([
    ['a client under a provider', '/clients'],
    ['a provider', '/identity-providers'],
  ])('is also %s', async (_, path) => {
    const world = await createLoginWorld();
    const { browser, provider, issuer: registered, discoveryUrl } = world;
    provider.claims = { ...ada, groups: ['staff'], auth_time: world.now };
    await browser.signIn();
    const form = {
      ...newClient,
      provider: registered,
      externalClientId: 'dialer',
      allowsUserTokens: 'on',
      url: discoveryUrl,
      requestId: 'request-1',
    };
    world.now += 601;
    const text = await expectPage(await browser.post(path, form), 401, 'Sign in again');
    expect(text).toContain('name="externalClientId" value="dialer"');
    const away = await browser.get(`${path}/new?provider=${registered}`);
    expect(away.headers.get('location')).toMatch(/^\/login\?recent=1&/);
    world.now -= 2;
    expect((await browser.post(path, form)).status).not.toBe(401);
    // A client that gets its tokens here has no credential yet.
    world.now += 2;
    expect((await browser.get('/clients/new')).status).toBe(200);
    const own = { ...newClient, requestId: 'request-2' };
    expect((await browser.post('/clients', own)).status).toBe(303);
  });

  it.each([
    ['has no auth_time', {}],
    ['has an old auth_time', { auth_time: 1_000_000_000 }],
    ['has an auth_time to come', { auth_time: 9_999_999_999 }],
    ['has an auth_time in milliseconds', { auth_time: 1_700_000_000_000 }],
  ])('is refused if the provider %s', async (_, more) => {
    const { browser, provider } = await createLoginWorld();
    provider.claims = { ...ada, ...more };
    await browser.signIn();
    expect((await browser.get('/api-keys/new')).headers.get('location')).toContain('recent=1');
    const login = await browser.get('/login?recent=1&to=%2Fapi-keys%2Fnew');
    await expectPage(await browser.get(browser.callback(login)), 403, 'Sign in again');
  });

  it('is refused with a sentence if the provider tells no time and takes no pushed requests', async () => {
    const { browser, provider } = await createLoginWorld();
    await browser.signIn();
    const login = await browser.get('/login?recent=1&to=%2Fapi-keys%2Fnew');
    provider.failure = 'no_login_time';
    const page = await browser.get(browser.callback(login));
    const text = await expectPage(page, 403, 'The portal creates no credentials here');
    expect(text).toContain('does not tell when you signed in');
  });
});

describe('signing out', () => {
  it('ends the session here, and leads to the provider from a page and not from a form', async () => {
    const { browser, provider } = await createLoginWorld();
    await browser.signIn();
    const response = await browser.post('/sign-out');
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/signed-out?provider=1',
    ]);
    expect(browser.cookies.size).toBe(0);
    const page = await browser.get('/signed-out?provider=1');
    expect(page.headers.get('refresh')).toBe(
      `0; url=${issuer}/end?return=${encodeURIComponent(`${origin}/signed-out`)}`,
    );
    await expectPage(await browser.get('/signed-out'), 200, 'You are signed out');
    provider.failure = 'unavailable';
    const text = await (await browser.get('/signed-out?provider=1')).text();
    expect(text).toContain('Sign out there as well');
  });

  it('is refused from another site', async () => {
    const { browser } = await createLoginWorld();
    await browser.signIn();
    const response = await browser.portal.fetch(
      new Request(`${origin}/sign-out`, {
        method: 'POST',
        headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      }),
    );
    expect(response.status).toBe(403);
  });
});
