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

describe('a session', () => {
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
