import { describe, expect, it } from 'vitest';
import type { Person } from '../../portal/access/guarded-management.ts';
import { LinkSessions } from '../../portal/serve-on-loopback.ts';

const origin = 'http://127.0.0.1:8084';
const basePath = '/unguessable';
const person: Person = { name: 'ada', role: 'administrator' };

function createSessions(isLasting = false) {
  const time = { now: 1_800_000_000 };
  const clock = () => time.now * 1000;
  const sessions = new LinkSessions({ person, isLasting, clock }, basePath);
  const open = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    sessions.identify(new Request(url, { headers }));
  const visit = (cookie: string) => open(`${origin}${basePath}/clients`, { cookie });
  return { time, sessions, open, visit };
}

async function cookieOf(response: Promise<Person | Response | undefined>): Promise<string> {
  const opened = await response;
  if (!(opened instanceof Response)) throw new Error('the link did not open a session');
  return opened.headers.get('set-cookie')?.split(';')[0] ?? '';
}

describe('a link', () => {
  it('is exchanged for a cookie that scripts cannot read, and leads to the first page', async () => {
    const { sessions, open, visit } = createSessions();
    const response = await open(sessions.createLink(origin));
    expect(response).toBeInstanceOf(Response);
    const { status, headers } = response as Response;
    expect([status, headers.get('location')]).toEqual([303, '/unguessable/']);
    expect(headers.get('set-cookie')).toMatch(
      /^portal=[\w-]{43}; Path=\/unguessable\/; HttpOnly; SameSite=Strict$/,
    );
    expect(await visit(headers.get('set-cookie')?.split(';')[0] ?? '')).toBe(person);
  });

  it('opens one session', async () => {
    const { sessions, open } = createSessions();
    const link = sessions.createLink(origin);
    expect(await open(link)).toBeInstanceOf(Response);
    expect(await open(link)).toBeUndefined();
  });

  it('opens none after a minute, nor after a newer one was made', async () => {
    const { time, sessions, open } = createSessions();
    const first = sessions.createLink(origin);
    const second = sessions.createLink(origin);
    expect(await open(first)).toBeUndefined();
    time.now += 60;
    expect(await open(second)).toBeUndefined();
  });

  it('opens none without the path of the portal', async () => {
    const { sessions, open } = createSessions();
    const link = sessions.createLink(origin);
    expect(await open(link.replace(basePath, ''))).toBeUndefined();
    expect(await open(link.replace(basePath, '/guessed'))).toBeUndefined();
    expect(await open(link)).toBeInstanceOf(Response);
  });

  it.each(['', 'x', 'A'.repeat(43)])('opens none with the token %j', async (token) => {
    const { sessions, open } = createSessions();
    sessions.createLink(origin);
    expect(await open(`${origin}${basePath}/enter/${token}`)).toBeUndefined();
  });

  it('is not used up by a browser that looks ahead', async () => {
    const { sessions, open } = createSessions();
    const link = sessions.createLink(origin);
    expect(await open(link, { 'sec-purpose': 'prefetch;prerender' })).toBeUndefined();
    expect(await open(link)).toBeInstanceOf(Response);
  });

  it('can be used again while the local run lasts', async () => {
    const { sessions, open } = createSessions(true);
    const link = sessions.createLink(origin);
    expect(await open(link)).toBeInstanceOf(Response);
    expect(await open(link)).toBeInstanceOf(Response);
  });
});

describe('a session', () => {
  it('ends after half an hour without a request, and after eight hours', async () => {
    const { time, sessions, open, visit } = createSessions();
    const cookie = await cookieOf(open(sessions.createLink(origin)));
    time.now += 1801;
    expect(await visit(cookie)).toBeUndefined();
    const other = await cookieOf(open(sessions.createLink(origin)));
    for (let minutes = 0; minutes < 480; minutes += 20) {
      expect(await visit(other)).toBe(person);
      time.now += 20 * 60;
    }
    time.now += 1;
    expect(await visit(other)).toBeUndefined();
  });

  it('ends when the person signs out', async () => {
    const { sessions, open, visit } = createSessions();
    const cookie = await cookieOf(open(sessions.createLink(origin)));
    const response = await sessions.signOut(new Request(origin, { headers: { cookie } }));
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await visit(cookie)).toBeUndefined();
  });

  it.each(['', 'portal=', 'portal=x', 'portal0=x'])(
    'is not opened by the cookie %j',
    async (cookie) => {
      const { visit } = createSessions();
      expect(await visit(cookie)).toBeUndefined();
    },
  );
});
