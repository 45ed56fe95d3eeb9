import type { Context } from 'aws-lambda';
import { afterAll, describe, expect, it } from 'vitest';
import { loginClient } from '../../../lab/support/openid-provider.ts';
import { portalConfig } from '../../../lab/support/portal-config.ts';
import { origin } from '../../portal/login/login-world.ts';
import { figure } from '../../support/figure.ts';
import {
  ada,
  answers,
  createPortalWorld,
  sessionKeyArn,
  toEvent,
  usePortalFunction,
} from './portal-function-world.ts';

const { openid, open } = usePortalFunction();
afterAll(() => figure('requests to the portal function', answers));

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

it('the client secret has no line break of the file that it was put from', async () => {
  const world = await open();
  const { clientId, clientSecret } = loginClient;
  world.secrets.put(portalConfig.login.clientSecretArn, `${clientSecret}\n`, world.now);
  await world.signIn();
  const { authorization = '' } = openid.requests.findLast(({ path }) => path === '/token') ?? {};
  const sent = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  expect(decodeURIComponent(sent)).toBe(`${clientId}:${clientSecret}`);
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
