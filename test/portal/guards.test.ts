import { afterAll, describe, expect, it } from 'vitest';
import { maxPortalFormBytes } from '../../contract/bounds.ts';
import { routes } from '../../portal/routes.ts';
import { figure } from '../support/figure.ts';
import { createPortalWorld, formOf, origin, pathOf, queryOf } from './portal-world.ts';

const gets = routes.filter(({ method }) => method === 'GET');
const posts = routes.filter(({ method }) => method === 'POST');

/** Requests that carry the mark of the portal's own pages. */
const sameOrigin = { origin, 'sec-fetch-site': 'same-origin' };

describe('the name in the address', () => {
  it.each([
    ['a name that points at this machine', 'http://evil.example:8084', {}],
    ['another port', 'http://127.0.0.1:8085', {}],
    ['another name of this machine', 'http://localhost:8084', {}],
    ['another Host header', origin, { host: 'evil.example:8084' }],
  ])('is refused as %s, with every method', async (_, address, headers) => {
    const { fetch } = await createPortalWorld();
    for (const method of ['GET', 'HEAD', 'POST']) {
      const response = await fetch(
        new Request(`${address}/clients`, {
          method,
          headers: { ...sameOrigin, origin: address, ...headers },
        }),
      );
      expect([method, response.status]).toEqual([method, 421]);
    }
  });

  it('is accepted as it is configured', async () => {
    const { get } = await createPortalWorld();
    expect((await get('/clients')).status).toBe(200);
    expect((await get('/clients', { host: '127.0.0.1:8084' })).status).toBe(200);
  });
});

/** Forms from elsewhere: sent, refused, and changes that they made. */
const forged = { sent: 0, refused: 0, changes: 0 };
afterAll(() => figure('forms of other sites', { routes: posts.length, ...forged }));

describe.each(posts.map(({ path }) => path))('POST %s', (path) => {
  it.each([
    ['no Origin', { 'sec-fetch-site': 'same-origin' }],
    ['no Sec-Fetch-Site', { origin }],
    ['neither', {}],
    ['the origin null', { ...sameOrigin, origin: 'null' }],
    ['another origin', { ...sameOrigin, origin: 'https://evil.example' }],
    ['the origin without its port', { ...sameOrigin, origin: 'http://127.0.0.1' }],
    ['another site', { ...sameOrigin, 'sec-fetch-site': 'cross-site' }],
    ['a neighbour', { ...sameOrigin, 'sec-fetch-site': 'same-site' }],
    ['no site at all', { ...sameOrigin, 'sec-fetch-site': 'none' }],
  ])('is refused with %s, and changes nothing', async (_, headers) => {
    const world = await createPortalWorld();
    const records = world.audit.length;
    const response = await world.fetch(
      new Request(origin + pathOf(world, path), {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: new URLSearchParams({ name: 'x' }),
      }),
    );
    forged.sent += 1;
    forged.refused += response.status === 403 ? 1 : 0;
    forged.changes += world.audit.length - records;
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('This request was refused');
    expect(world.audit).toHaveLength(records);
  });

  it('is taken from a page of the portal', async () => {
    const world = await createPortalWorld();
    const response = await world.post(pathOf(world, path), formOf(world));
    expect([403, 404, 405, 415, 421]).not.toContain(response.status);
  });

  it('is refused to those who are not known', async () => {
    const world = await createPortalWorld();
    world.signInAs(undefined);
    const response = await world.post(pathOf(world, path), formOf(world));
    expect(response.status).toBe(401);
  });

  it('is refused as any other type of content', async () => {
    const world = await createPortalWorld();
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const response = await world.fetch(
        new Request(origin + pathOf(world, path), {
          method: 'POST',
          headers: { ...sameOrigin, 'content-type': type },
          body: '{"name":"x"}',
        }),
      );
      expect([type, response.status]).toEqual([type, 415]);
    }
  });
});

describe('a form', () => {
  it('may be as large as the limit and no larger, by the bytes that come', async () => {
    const { post } = await createPortalWorld();
    const filler = (length: number) => ({ credential: 'x'.repeat(length - 'credential='.length) });
    expect((await post('/explain/credential', filler(maxPortalFormBytes))).status).toBe(200);
    const large = await post('/explain/credential', filler(maxPortalFormBytes + 1));
    expect(large.status).toBe(413);
    expect(await large.text()).toContain('The form is too large');
  });

  it('is counted while it comes, regardless of what its header says', async () => {
    const { fetch } = await createPortalWorld();
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1024;
        controller.enqueue(new Uint8Array(1024).fill(97));
        if (sent > 1024 * 1024) controller.close();
      },
    });
    const response = await fetch(
      new Request(`${origin}/explain/credential`, {
        method: 'POST',
        headers: { ...sameOrigin, 'content-type': 'application/x-www-form-urlencoded' },
        body,
        duplex: 'half',
      }),
    );
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(2 * maxPortalFormBytes);
  });

  it('is refused if it says one thing twice', async () => {
    const { post } = await createPortalWorld();
    const twice = new URLSearchParams([
      ['name', 'a'],
      ['name', 'b'],
    ]);
    expect((await post('/clients', twice)).status).toBe(400);
  });
});

describe('every response', () => {
  const paths = [...gets.map(({ path }) => path), '/assets/portal.css', '/nothing', '/clients/x'];

  it.each(paths)('of %s says what a browser may do with it', async (path) => {
    const world = await createPortalWorld();
    const { headers } = await world.get(pathOf(world, path) + queryOf(world, path));
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': path.startsWith('/assets/')
        ? 'public, max-age=31536000, immutable'
        : 'no-store',
    });
  });

  it('is so if it is refused, redirected or failed, too', async () => {
    const world = await createPortalWorld({
      identify: async (request) =>
        request.url.endsWith('/login') ? Response.redirect('https://login.example/') : undefined,
    });
    const responses = [
      await world.get('/clients'),
      await world.get('/login'),
      await world.post('/clients', {}, { origin: 'https://evil.example' }),
      await world.get('/', { host: 'evil.example' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 302, 403, 421]);
    for (const { headers } of responses) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
  });
});

describe('a method that an address does not have', () => {
  it.each(['PUT', 'PATCH', 'DELETE'])('%s is refused', async (method) => {
    const world = await createPortalWorld();
    for (const { path } of routes) {
      const response = await world.fetch(
        new Request(origin + pathOf(world, path), { method, headers: sameOrigin }),
      );
      expect([path, response.status]).toEqual([path, 405]);
    }
  });

  it('is refused as GET of what only takes forms', async () => {
    const world = await createPortalWorld();
    expect((await world.get(`/clients/${world.clientId}/disable`)).status).toBe(405);
  });
});

describe('the log', () => {
  it('has the route, the person and the status, and nothing that was sent', async () => {
    const world = await createPortalWorld();
    await world.get(`/clients?text=secret-in-a-query`);
    await world.post(`/clients/${world.clientId}/secrets`, { name: 'secret-in-a-form' });
    expect(world.requests).toMatchObject([
      { method: 'GET', route: '/clients', status: 200, person: 'administrator' },
      { method: 'POST', route: '/clients/:clientId/secrets', status: 200 },
    ]);
    expect(JSON.stringify(world.requests)).not.toMatch(/secret-in/);
  });
});
