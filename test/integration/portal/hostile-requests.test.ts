import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Deviation } from '../../../lab/support/openid-provider.ts';
import { origin } from '../../portal/login/login-world.ts';
import { figure } from '../../support/figure.ts';
import { ada, type PortalWorld, toEvent, usePortalFunction } from './portal-function-world.ts';

/*
 * What a hostile review tried on the login and on the borders between customers, over the deployed
 * function. Rows that other tests have are not repeated here.
 */

const { openid, open } = usePortalFunction();
const tried = { attempts: 0 };
afterAll(() => figure('hostile requests to the portal function', tried));
afterEach(() => {
  tried.attempts += 1;
});

async function openSignedIn(claims: Deviation['claims'] = {}): Promise<PortalWorld> {
  const world = await open(claims);
  await world.signIn();
  return world;
}

const sessionOf = ({ browser }: PortalWorld) => browser.cookies.get('__Host-session') ?? 'none';

/** The answer to an event that differs from that of a browser. */
async function send(
  { handler }: PortalWorld,
  path: string,
  changes: Partial<APIGatewayProxyEvent> = {},
  headers: Readonly<Record<string, readonly string[]>> = {},
): Promise<APIGatewayProxyResult> {
  const event = await toEvent(new Request(`${origin}/`));
  const multiValueHeaders = { ...event.multiValueHeaders } as Record<string, string[]>;
  for (const [name, values] of Object.entries(headers)) multiValueHeaders[name] = [...values];
  return handler({ ...event, path, multiValueHeaders, ...changes }, {} as Context);
}

describe('a cookie that another host of the domain has set', () => {
  // Browsers protect the prefix __Host- only without characters before it.
  it.each([
    ['a no-break space before the name', '\u00a0__Host-session'],
    ['a byte order mark in UTF-8, byte by byte', '\u00ef\u00bb\u00bf__Host-session'],
    ['a space of Unicode, byte by byte', '\u00e2\u0080\u0080__Host-session'],
    ['another case', '__host-session'],
    ['no prefix', 'session'],
  ])('with %s is no session', async (_, name) => {
    const world = await openSignedIn();
    const value = sessionOf(world);
    const get = (cookie: string) => send(world, '/clients', {}, { cookie: [cookie] });
    expect((await get(`${name}=${value}`)).statusCode).toBe(303);
    expect((await get(`__Host-session=${value}`)).statusCode).toBe(200);
    expect((await get(`a=b;  __Host-session=${value}`)).statusCode).toBe(200);
  });
});

describe('a way back after the login', () => {
  it.each([
    '/\n/evil.example',
    '\\\\evil.example',
    '/\\/evil.example',
    '/.//evil.example',
    '/clients/..//evil.example',
    '/%2e%2e//evil.example',
    'https:///evil.example',
    'HTTPS://PORTAL.EXAMPLE.COM.evil.example/',
    'https://portal.example.com@evil.example/',
    'https://portal.example.com:444/',
    'http://portal.example.com/',
    'data:text/html,x',
    ' //evil.example',
    '/login?to=/login',
    '/login/callback?code=a&state=b',
    `/clients?text=${'x'.repeat(1000)}`,
  ])('%j is the first page', async (to) => {
    const { browser, comeBack } = await open();
    const away = await browser.get(`/login?${new URLSearchParams({ to }).toString()}`);
    expect((await comeBack(browser, away)).headers.get('location')).toBe('/');
  });

  it.each([
    ['/clients?text=a%0d%0aSet-Cookie:x=y', '/clients?text=a%0d%0aSet-Cookie:x=y'],
    ['/clients?text=ä', '/clients?text=%C3%A4'],
    ['/\tevil.example', '/evil.example'],
    ['https:evil.example', '/evil.example'],
    ['https://portal.example.com/clients', '/clients'],
  ])('%j stays a page of the portal', async (to, expected) => {
    const { browser, comeBack } = await open();
    const away = await browser.get(`/login?${new URLSearchParams({ to }).toString()}`);
    const back = await comeBack(browser, away);
    expect(back.headers.get('location')).toBe(expected);
    expect(back.headers.getSetCookie().every((cookie) => cookie.startsWith('__Host-'))).toBe(true);
  });

  it('that is given twice is the first of them, and checked', async () => {
    const { browser, comeBack } = await open();
    const away = await browser.get('/login?to=//evil.example&to=/clients');
    expect((await comeBack(browser, away)).headers.get('location')).toBe('/');
  });
});

describe('a path', () => {
  it.each([
    '//evil.example/clients',
    '///evil.example',
    '/\\evil.example',
    '/;@evil.example',
    '/clients/..%2f..%2fassets',
    '/clients/%2e%2e/%2e%2e/',
    '/assets/..%2fportal.css',
    '/assets/__proto__',
    '/assets/constructor',
    '/clients/%00',
    '/clients/%zz',
    '/live/clients',
    '/CLIENTS',
  ])('%j shows a person nothing, and names no other host', async (path) => {
    const world = await openSignedIn();
    const cookie = { cookie: [`__Host-session=${sessionOf(world)}`] };
    const { statusCode, body } = await send(world, path, {}, cookie);
    expect([200, 404]).toContain(statusCode);
    expect(body).not.toContain('href="//');
  });
});

describe('headers', () => {
  it.each<[string, Readonly<Record<string, readonly string[]>>, number]>([
    ['two Hosts', { Host: ['portal.example.com', 'evil.example'] }, 421],
    ['a Host with a port', { Host: ['portal.example.com:8443'] }, 421],
    ['no Host', { Host: [] }, 200],
    ['X-Forwarded-Host', { 'x-forwarded-host': ['evil.example'] }, 200],
    ['X-Original-URL', { 'x-original-url': ['/audit'], 'x-rewrite-url': ['/audit'] }, 200],
    ['X-HTTP-Method-Override', { 'x-http-method-override': ['POST'] }, 200],
  ])('%s do not change what is answered', async (_, headers, status) => {
    const world = await openSignedIn();
    const cookie = { cookie: [`__Host-session=${sessionOf(world)}`] };
    const { statusCode, body } = await send(world, '/clients', {}, { ...cookie, ...headers });
    expect(statusCode).toBe(status);
    expect(body).not.toContain('evil.example');
    if (status === 200) expect(body).toContain('<h1>Clients</h1>');
  });

  it('of every answer keep browsers on https, and copies out of caches', async () => {
    const world = await openSignedIn();
    const cookie = { cookie: [`__Host-session=${sessionOf(world)}`] };
    for (const [path, headers] of [
      ['/clients', cookie],
      ['/clients', {}],
      ['/nothing', cookie],
      ['/login', {}],
      ['/login/callback', {}],
      ['/clients', { Host: ['evil.example'] }],
      ['/assets/portal.css', {}],
    ] as const) {
      const { multiValueHeaders } = await send(world, path, {}, headers);
      expect(multiValueHeaders?.['strict-transport-security'], path).toEqual([
        'max-age=63072000; includeSubDomains',
      ]);
      const cached = path.startsWith('/assets/') ? /immutable/ : /^no-store$/;
      expect(String(multiValueHeaders?.['cache-control']?.[0]), path).toMatch(cached);
    }
  });
});

/** Bytes of headers and request line that API Gateway takes. */
const maxHeaderBytes = 10_240;

describe('links that another site opens in many tabs', () => {
  it('leave room for the session in what API Gateway takes', async () => {
    const { browser, signIn } = await open({
      trunk_groups: Array.from({ length: 75 }, () => crypto.randomUUID()),
    });
    expect((await signIn()).status).toBe(303);
    for (let tab = 0; tab < 8; tab++) {
      const random = Buffer.from(crypto.getRandomValues(new Uint8Array(700))).toString('base64url');
      await browser.get(`/login?to=/clients?text=${random}`);
    }
    const bytes = [...browser.cookies].reduce(
      (sum, [name, value]) => sum + name.length + value.length + 3,
      0,
    );
    // Browsers send two kilobytes of their own, and the address of the page before.
    expect(bytes).toBeLessThan(maxHeaderBytes - 3000);
  });
});

describe('claims', () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['groups in one text with commas', { groups: 'managers,readers' }],
    ['groups in one text with spaces', { groups: 'managers readers' }],
    ['groups in another case', { groups: ['Managers'] }],
    ['groups that only look the same', { groups: ['manаgers'] }],
    ['groups within groups', { groups: [['managers']] }],
    ['groups as an object', { groups: { 0: 'managers', length: 1 } }],
    ['groups by their prototype', { groups: ['__proto__', 'constructor', 'toString'] }],
    ['trunk groups in one text with commas', { trunk_groups: 'tg-1001,tg-2002' }],
    ['trunk groups with a pattern', { trunk_groups: ['*', 'tg-*'] }],
    ['trunk groups that only look the same', { trunk_groups: ['tg‑1001', 'ｔｇ-1001'] }],
    ['trunk groups as an object', { trunk_groups: { 0: 'tg-1001' } }],
  ])('with %s give no access, and right ones do', async (_, claims) => {
    const { browser, signIn } = await open(claims);
    const page = await signIn();
    expect([page.status, browser.cookies.size]).toEqual([403, 0]);
    openid.deviation = { claims: { ...ada, groups: 'managers', trunk_groups: 'tg-1001' } };
    expect((await signIn()).status).toBe(303);
  });

  it.each(['TG-1001', 'tg-100', 'tg-10011', 'tg-1001.', 'tg-1001:a'])(
    'with the trunk group %s open nothing of tg-1001',
    async (group) => {
      const { browser, clientId } = await openSignedIn({ trunk_groups: [group] });
      expect((await browser.get(`/clients/${clientId}`)).status).toBe(404);
      const form = {
        name: 'A',
        serviceTrunkGroup: 'tg-1001',
        tokenLifetime: '1h',
        scopes: 'calls:view',
      };
      expect((await browser.post('/clients', form)).status).toBe(404);
    },
  );

  it.each([
    ['a space', 'CN=Ada Lovelace,O=Acme'],
    ['a percent sign', '100%'],
    ['a number sign', 'a#b'],
    ['letters of other scripts', 'адa'],
  ])('with %s in the subject name one person in the audit', async (_, sub) => {
    const { browser, audit } = await openSignedIn({ sub });
    const form = {
      name: 'A',
      serviceTrunkGroup: 'tg-1001',
      tokenLifetime: '1h',
      scopes: 'calls:view',
    };
    expect((await browser.post('/clients', form)).status).toBe(303);
    const [issuer, ...rest] = audit.at(-1)?.actor.split('#') ?? [];
    expect(issuer).toBe(openid.issuer);
    expect(decodeURIComponent(rest.join('#'))).toBe(sub);
  });

  it('with markup and control characters in the name are text on a page', async () => {
    const email = '<img src=x onerror=alert(1)>"\u202e\u0000ada';
    const { browser } = await openSignedIn({ email });
    const text = await (await browser.get('/clients')).text();
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    for (const hidden of ['<img src=x', '\u202e', '\u0000']) expect(text).not.toContain(hidden);
  });
});

describe('parameters', () => {
  it.each([
    ['that are given twice', { text: ['a', 'b'] }],
    ['with names of the prototype', { __proto__: ['x'], constructor: ['x'], toString: ['x'] }],
    ['of 4000 characters', { text: ['x'.repeat(4000)] }],
    ['with half a character', { text: ['\ud800'] }],
    ['with a null', { text: ['\u0000'] }],
    ['with markup', { text: ['"><script>alert(1)</script>'] }],
  ])('%s are refused or searched, and break nothing', async (_, query) => {
    const world = await openSignedIn();
    const cookie = { cookie: [`__Host-session=${sessionOf(world)}`] };
    for (const path of ['/clients', '/api-keys', '/audit', '/explain']) {
      const answer = await send(world, path, { multiValueQueryStringParameters: query }, cookie);
      expect([200, 400, 422], path).toContain(answer.statusCode);
      expect(answer.body).not.toContain('<script>alert');
    }
    expect(world.reports.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('what another customer has', () => {
  it('cannot be told from what does not exist, by page or by time of day', async () => {
    const world = await openSignedIn({ trunk_groups: ['tg-2002'] });
    const { browser, clientId, keyId } = world;
    for (const [path, id] of [
      ['/clients/', clientId],
      ['/api-keys/', keyId],
    ] as const) {
      const other = id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');
      for (const more of ['', '/edit', '/delete', '/history']) {
        const of = async (one: string) => {
          const response = await browser.get(path + one + more);
          return [response.status, (await response.text()).replaceAll(one, 'ID')];
        };
        expect(await of(id)).toEqual(await of(other));
      }
    }
  });
});
