import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoopbackPortal, servePortalOnLoopback } from '../../../portal/serve-on-loopback.ts';
import { createWorld } from '../../adapters/management/world.ts';
import { personOf } from '../../portal/portal-world.ts';

let portal: LoopbackPortal;
beforeAll(async () => {
  const { management } = await createWorld();
  portal = await servePortalOnLoopback({
    management,
    person: personOf('administrator'),
    port: 0,
    signInHint: 'Open the link.',
  });
});
afterAll(() => portal.close());

async function signIn(): Promise<string> {
  const entered = await fetch(portal.createLink(), { redirect: 'manual' });
  expect(entered.headers.get('location')).toBe(`${new URL(portal.address).pathname}/`);
  return entered.headers.get('set-cookie') ?? '';
}

describe('the portal on loopback', () => {
  it('is at a path that cannot be guessed, and its cookie goes nowhere else', async () => {
    const { pathname } = new URL(portal.address);
    expect(pathname).toMatch(/^\/[\w-]{22}$/);
    const cookie = await signIn();
    expect(cookie).toContain(`; Path=${pathname}/;`);
    const [value = ''] = cookie.split(';');
    const page = await fetch(`${portal.address}/`, { headers: { cookie: value } });
    expect(page.status).toBe(200);
    const links = (await page.text()).matchAll(/(?:href|action|src)="([^"#]+)"/g);
    const paths = [...links].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !path.startsWith(`${pathname}/`))).toEqual([]);
  });

  it('does not tell its path to whom does not have it', async () => {
    const cookie = (await signIn()).split(';')[0] ?? '';
    const { pathname } = new URL(portal.address);
    for (const path of ['/', '/clients', '/assets/portal.css', '/nothing', '/enter/x', pathname]) {
      const response = await fetch(portal.origin + path, {
        headers: { cookie },
        redirect: 'manual',
      });
      const text = JSON.stringify([...response.headers]) + (await response.text());
      expect([path, response.status]).toEqual([path, 401]);
      expect(text).not.toContain(pathname);
    }
  });

  it('ends a request whose headers do not come', async () => {
    const socket = connect(Number(new URL(portal.origin).port), '127.0.0.1');
    const closed = once(socket, 'close');
    socket.on('error', () => undefined).resume();
    socket.write('GET / HTTP/1.1\r\nHost: ');
    const start = performance.now();
    await closed;
    // The limit is five seconds. Node looks for such requests every 30 seconds if it is not told.
    expect(performance.now() - start).toBeLessThan(20_000);
  }, 60_000);
});
