import type { Context } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Deviation, TestOpenIdProvider } from '../../../lab/support/openid-provider.ts';
import { origin } from '../../portal/login/login-world.ts';
import { figure } from '../../support/figure.ts';
import {
  answers,
  createPortalWorld,
  type PortalWorld,
  redirectUri,
  sessionKeyArn,
  toEvent,
} from './portal-function-world.ts';

const openid = new TestOpenIdProvider(redirectUri);

const ada = {
  sub: 'ada',
  email: 'ada@example.com',
  groups: ['managers'],
  trunk_groups: ['tg-1001'],
};

beforeAll(() => openid.start());

afterAll(async () => {
  figure('requests to the portal function', answers);
  await openid.close();
});
afterEach(() => {
  openid.deviation = {};
});

async function open(claims: Deviation['claims'] = {}): Promise<PortalWorld> {
  openid.deviation = { claims: { ...ada, ...claims } };
  return createPortalWorld(openid);
}

async function expectPage(response: Response, status: number, title: string): Promise<string> {
  const text = await response.text();
  expect([response.status, /<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1]?.trim()]).toEqual([
    status,
    title,
  ]);
  return text;
}

const newClient = {
  name: 'Dialer',
  serviceTrunkGroup: 'tg-1001',
  tokenLifetime: '1h',
  scopes: 'messaging:view',
  requestId: 'a-request-of-a-form',
};

describe('the portal function', () => {
  it('leads to the provider, and back to the page that was wanted', async () => {
    const { browser, signIn } = await open();
    const response = await signIn(browser, '/clients?text=a%26b&text=c');
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/clients?text=a%26b&text=c');
    expect([...browser.cookies.keys()]).toEqual(['__Host-session']);
    const text = await expectPage(await browser.get('/clients'), 200, 'Clients');
    expect(text).toContain('Billing');
  });

  it('creates a client for the person, whom the audit names by issuer and subject', async () => {
    const { browser, signIn, audit, clients } = await open();
    await signIn();
    const response = await browser.post('/clients', newClient);
    expect(response.status).toBe(303);
    expect([...clients.values()].map(({ name }) => name)).toContain('Dialer');
    const actor = `${openid.issuer}#ada`;
    expect(audit.at(-1)).toMatchObject({ action: 'client.create', actor });
  });

  it('offers the address that API Gateway saw for the subnets of a key, regardless of headers', async () => {
    const { browser, signIn } = await open();
    await signIn();
    const page = await browser.get('/api-keys/new', {
      'X-Forwarded-For': '198.51.100.66',
      'X-Real-IP': '198.51.100.66',
      Forwarded: 'for=198.51.100.66',
    });
    const text = await page.text();
    expect(text).toContain('name="current" value="203.0.113.7"');
    expect(text).not.toContain('198.51.100.66');
  });

  it('serves the same assets as everywhere, to everyone', async () => {
    const { browser } = await open();
    for (const name of ['portal.css', 'portal.js', 'icon.svg']) {
      expect((await browser.get(`/assets/${name}`)).status).toBe(200);
    }
  });

  it('writes one log line for a request, without query, cookie or form', async () => {
    const { browser, signIn, reports } = await open();
    await signIn();
    reports.length = 0;
    await browser.post('/clients', { ...newClient, name: 'not-in-a-log' });
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({
      level: 'info',
      statusCode: 303,
      fields: {
        http_method: 'POST',
        route: '/clients',
        person: `${openid.issuer}#ada`,
        source_ip: '203.0.113.7',
        request_id: 'request-1',
      },
    });
    const session = browser.cookies.get('__Host-session') ?? 'none';
    const text = JSON.stringify(reports);
    for (const secret of [session, 'not-in-a-log', 'Dialer', 'ada@example.com'])
      expect(text).not.toContain(secret);
  });
});

describe('a request with', () => {
  const foreign = 'https://evil.example';

  it('another Host is refused, and one with the own is not', async () => {
    const { browser } = await open();
    const refused = await browser.get('/login/done', { host: 'evil.example' });
    await expectPage(refused, 421, 'This is not the address of the portal');
    await expectPage(await browser.get('/login/done'), 200, 'You are signed in');
  });

  it.each([
    [{ origin: foreign, 'sec-fetch-site': 'same-origin' }],
    [{ origin, 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-origin' }],
    [{ origin }],
  ])('the headers %o changes nothing, and one of the own pages does', async (headers) => {
    const { browser, signIn, clients } = await open();
    await signIn();
    const cookie = `__Host-session=${browser.cookies.get('__Host-session')}`;
    const count = clients.size;
    const refused = await browser.portal.fetch(
      new Request(`${origin}/clients`, {
        method: 'POST',
        headers: { ...headers, cookie },
        body: new URLSearchParams(newClient),
      }),
    );
    await expectPage(refused, 403, 'This request was refused');
    expect(clients.size).toBe(count);
    expect((await browser.post('/clients', newClient)).status).toBe(303);
    expect(clients.size).toBe(count + 1);
  });

  it.each([
    ['the method TRACE', { httpMethod: 'TRACE' }, 400],
    ['a header that is not bytes', { multiValueHeaders: { Host: ['x'], a: ['\u{1F600}'] } }, 400],
    ['a path that looks like a host', { path: '//evil.example/login/done' }, 303],
    ['a path without a slash', { path: '@evil.example/' }, 303],
  ])('%s does not leave the portal', async (_, changes, status) => {
    const { handler } = await open();
    const event = { ...(await toEvent(new Request(`${origin}/login/done`))), ...changes };
    const { statusCode, multiValueHeaders } = await handler(event, {} as Context);
    expect(statusCode).toBe(status);
    const [location = `${openid.issuer}/`] = multiValueHeaders?.['location'] ?? [];
    expect(new URL(String(location)).origin).toBe(openid.issuer);
  });
});

describe('a callback with', () => {
  it('a code that was used is refused: with its own state, and with a new one', async () => {
    const { browser, comeBack } = await open();
    const first = openid.authorize((await browser.get('/clients')).headers.get('location') ?? '');
    expect((await browser.get(first.pathname + first.search)).status).toBe(303);
    await expectPage(await browser.get(first.pathname + first.search), 400, 'This login is over');
    const away = await browser.get('/login?to=/clients');
    const replayed = openid.authorize(away.headers.get('location') ?? '');
    replayed.searchParams.set('code', first.searchParams.get('code') ?? '');
    await expectPage(
      await browser.get(replayed.pathname + replayed.search),
      400,
      'This login cannot be completed',
    );
    expect((await comeBack(browser, await browser.get('/login?to=/clients'))).status).toBe(303);
  });

  it.each<[string, (url: URL) => void, string]>([
    ['another state', (url) => url.searchParams.set('state', 'x'), 'This login is over'],
    ['no state', (url) => url.searchParams.delete('state'), 'This login is over'],
    [
      'another iss',
      (url) => url.searchParams.set('iss', 'https://evil.example'),
      'This login cannot be completed',
    ],
    ['no iss', (url) => url.searchParams.delete('iss'), 'This login cannot be completed'],
  ])('%s is refused, and the right one is accepted', async (_, change, title) => {
    const { browser, signIn } = await open();
    const away = await browser.get('/clients');
    const callback = openid.authorize(away.headers.get('location') ?? '');
    change(callback);
    await expectPage(await browser.get(callback.pathname + callback.search), 400, title);
    expect((await signIn()).status).toBe(303);
  });

  it.each<[string, Deviation]>([
    ['another nonce', { claims: { nonce: 'of-another-login' } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another audience', { claims: { aud: 'another-client' } }],
    ['the algorithm none', { header: { alg: 'none' } }],
    ['the algorithm HS256', { header: { alg: 'HS256' } }],
    ['another algorithm than the configured one', { header: { alg: 'ES256' } }],
    ['the signature of another key', { otherKey: true }],
  ])('an ID token with %s is refused, and the right one is accepted', async (_, wrong) => {
    const { browser, signIn } = await open();
    openid.deviation = { ...wrong, claims: { ...ada, ...wrong.claims } };
    await expectPage(await signIn(), 400, 'This login cannot be completed');
    expect(browser.cookies.size).toBe(0);
    openid.deviation = { claims: ada };
    expect((await signIn()).status).toBe(303);
  });

  it('the login of another browser is refused', async () => {
    const { browser, openBrowser } = await open();
    const away = await browser.get('/clients');
    const callback = openid.authorize(away.headers.get('location') ?? '');
    const path = callback.pathname + callback.search;
    await expectPage(await openBrowser().get(path), 400, 'This login is over');
    expect((await browser.get(path)).status).toBe(303);
  });
});

describe('a session', () => {
  it.each<[string, (text: string) => string]>([
    ['a changed byte', (text) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)],
    ['a byte less', (text) => text.slice(0, -1)],
    ['nothing', () => ''],
    ['more than a cookie holds', (text) => text + 'A'.repeat(5000)],
  ])('whose cookie has %s opens nothing, and as it was it does', async (_, change) => {
    const { browser, signIn } = await open();
    await signIn();
    const value = browser.cookies.get('__Host-session') ?? '';
    browser.cookies.set('__Host-session', change(value));
    expect((await browser.get('/clients')).status).toBe(303);
    browser.cookies.set('__Host-session', value);
    expect((await browser.get('/clients')).status).toBe(200);
  });

  it('that was idle for 30 minutes asks for a new login, and is not continued silently', async () => {
    const world = await open();
    await world.signIn();
    world.now += 1801;
    await expectPage(await world.browser.get('/clients'), 401, 'Sign in again');
    expect((await world.signIn(world.browser, '/login?again=1&to=/clients')).status).toBe(303);
  });

  it('of 30 minutes loses a role that was removed in the meantime', async () => {
    const world = await open();
    const { browser, comeBack } = world;
    await world.signIn();
    for (let minutes = 0; minutes < 3; minutes++) {
      world.now += 600;
      expect((await browser.get('/clients')).status).toBe(200);
    }
    openid.deviation = { claims: { ...ada, groups: [] } };
    world.now += 60;
    const away = await browser.get('/clients');
    expect(new URL(away.headers.get('location') ?? '').searchParams.get('prompt')).toBe('none');
    const page = await expectPage(await comeBack(browser, away), 403, 'You have no access');
    expect(page).toContain('support@example.com');
    expect(browser.cookies.size).toBe(0);
  });

  it('outlives the rotation of its key, which another instance may not have read yet', async () => {
    const world = await open();
    const { browser, secrets, openBrowser } = world;
    await world.signIn();
    secrets.put(sessionKeyArn, 'n'.repeat(64), world.now);
    // A new instance reads both keys, and still seals with the one that all instances have.
    const fresh = openBrowser();
    await world.signIn(fresh);
    browser.cookies.set('__Host-session', fresh.cookies.get('__Host-session') ?? '');
    expect((await browser.get('/clients')).status).toBe(200);
    world.now += 301;
    fresh.cookies.clear();
    await world.signIn(fresh);
    browser.cookies.set('__Host-session', fresh.cookies.get('__Host-session') ?? '');
    expect((await browser.get('/clients')).status).toBe(200);
    // After the next rotation, the first key is gone.
    const old = browser.cookies.get('__Host-session') ?? '';
    secrets.put(sessionKeyArn, 'o'.repeat(64), world.now);
    world.now += 301;
    secrets.put(sessionKeyArn, 'p'.repeat(64), world.now);
    world.now += 61;
    browser.cookies.set('__Host-session', old);
    expect((await browser.get('/clients')).status).toBe(303);
  });

  it('goes on while Secrets Manager and the provider do not answer, and none can begin', async () => {
    const world = await open();
    const { browser, secrets, openBrowser } = world;
    await world.signIn();
    secrets.fails = true;
    openid.deviation = { tokenStatus: 503 };
    world.now += 61;
    expect((await browser.get('/clients')).status).toBe(200);
    const cold = openBrowser();
    await expectPage(await cold.get('/clients'), 503, 'The portal cannot read its own secrets');
    secrets.fails = false;
    await expectPage(await world.signIn(cold), 503, 'The login does not answer');
    openid.deviation = { claims: ada };
    expect((await world.signIn(cold)).status).toBe(303);
  });

  it('ends with a higher epoch', async () => {
    const { browser, signIn, openBrowser } = await open();
    await signIn();
    const later = openBrowser({ sessionEpoch: 2 });
    later.cookies.set('__Host-session', browser.cookies.get('__Host-session') ?? '');
    expect((await later.get('/clients')).status).toBe(303);
    expect((await browser.get('/clients')).status).toBe(200);
  });
});

describe('a person', () => {
  it('of another customer finds nothing, and is never told that it exists', async () => {
    const { browser, signIn, openBrowser, clientId, secretId, keyId } = await open();
    await signIn();
    openid.deviation = { claims: { ...ada, sub: 'bob', trunk_groups: ['tg-2002'] } };
    const bob = openBrowser();
    await signIn(bob);
    const pages = [
      `/clients/${clientId}`,
      `/clients/${clientId}/edit`,
      `/clients/${clientId}/history`,
      `/clients/${clientId}/delete`,
      `/clients/${clientId}/secrets/${secretId}/edit`,
      `/api-keys/${keyId}`,
    ];
    for (const page of pages) {
      expect((await browser.get(page)).status, page).toBe(200);
      expect((await bob.get(page)).status, page).toBe(404);
    }
    for (const page of [`/clients/${clientId}/disable`, `/api-keys/${keyId}/disable`]) {
      expect((await bob.post(page, { version: '1' })).status, page).toBe(404);
    }
    expect(await (await bob.get('/clients')).text()).not.toContain('Billing');
  });

  it('shares a trunk group with another customer, and each has a name in the audit', async () => {
    const { browser, signIn, openBrowser, audit, clientId } = await open();
    await signIn();
    openid.deviation = { claims: { ...ada, sub: 'bob', trunk_groups: ['tg-1001', 'tg-2002'] } };
    const bob = openBrowser();
    await signIn(bob);
    expect((await bob.post(`/clients/${clientId}/disable`)).status).toBe(303);
    expect(audit.at(-1)?.actor).toBe(`${openid.issuer}#bob`);
    expect(await (await browser.get(`/clients/${clientId}`)).text()).toContain('Disabled');
    const text = await (await browser.get('/audit')).text();
    expect(text).toContain(`${openid.issuer}#bob`);
  });

  it.each([
    ['no role', { groups: [] }, 'You have no access'],
    ['no trunk group', { trunk_groups: [] }, 'You have no access'],
    [
      'more than 100 trunk groups',
      { trunk_groups: Array.from({ length: 101 }, (_, index) => `tg-${index}`) },
      'You have no access',
    ],
    [
      'trunk groups that fit into no cookie',
      {
        trunk_groups: Array.from(
          { length: 100 },
          () => crypto.randomUUID() + crypto.randomUUID().slice(0, 28),
        ),
      },
      'You have too many trunk groups',
    ],
  ])('with %s has a page that says why, and one with less is let in', async (_, claims, title) => {
    const { browser, signIn } = await open(claims);
    const page = await expectPage(await signIn(), 403, title);
    expect(page).toContain('support@example.com');
    expect(browser.cookies.size).toBe(0);
    openid.deviation = { claims: ada };
    expect((await signIn()).status).toBe(303);
  });

  it('sends a form again after the session ended, with what was typed', async () => {
    const world = await open();
    const { browser, clients } = world;
    await world.signIn();
    world.now += 1900;
    const count = clients.size;
    const text = await expectPage(
      await browser.post('/clients', newClient),
      401,
      'You are not signed in',
    );
    expect(text).toContain('name="name" value="Dialer"');
    expect(clients.size).toBe(count);
    await world.signIn(browser, '/login?to=/login/done');
    expect((await browser.post('/clients', newClient)).status).toBe(303);
    expect(clients.size).toBe(count + 1);
  });

  it('keeps a form whose limit was lowered in the meantime, and grants what is left', async () => {
    const { browser, signIn, management, clients } = await open();
    await signIn();
    await management.setTrunkGroupLimits('tg-1001', { scopes: ['calls:view'], ifVersion: 0 });
    const count = clients.size;
    const refused = await browser.post('/clients', newClient);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('value="Dialer"');
    expect(clients.size).toBe(count);
    const less = { ...newClient, scopes: 'calls:view', requestId: 'another-request-id' };
    expect((await browser.post('/clients', less)).status).toBe(303);
  });

  it('is an administrator only if the management function allows it', async () => {
    const staff = { groups: ['staff'], trunk_groups: [] };
    const allowed = await open(staff);
    await allowed.signIn();
    expect((await allowed.browser.get('/identity-providers')).status).toBe(200);
    const limits = { reach: [] };
    const bounded = await createPortalWorld(openid, limits);
    await bounded.signIn();
    expect((await bounded.browser.get('/identity-providers')).status).toBe(403);
  });
});
