import { describe, expect, it } from 'vitest';
import { grantIssuer, grantSubject, registerOwn } from '../adapters/management/world.ts';
import { createPortalWorld, type PortalWorld, personOf } from './portal-world.ts';

const textOf = async (world: PortalWorld, page: string) => (await world.get(page)).text();

const path = (page: string, issuer: string) =>
  `/identity-providers/${page}?issuer=${encodeURIComponent(issuer)}`;

/** Two customers have ids at the provider of the platform. */
async function createGrantedWorld(): Promise<PortalWorld> {
  const world = await createPortalWorld();
  grantSubject(world, world.issuer, {
    'repo:acme/': ['tg-1001', 'tg-3003'],
    'repo:globex/': ['tg-2002'],
  });
  return world;
}

describe('the grants at a provider', () => {
  it('are listed for the staff, which comes from the page of the provider', async () => {
    const world = await createGrantedWorld();
    expect(await textOf(world, path('show', world.issuer))).toContain(
      `href="${path('grants', world.issuer)}"`,
    );
    const page = await textOf(world, path('grants', world.issuer));
    for (const text of ['repo:acme/', 'tg-1001, tg-3003', 'repo:globex/', 'tg-2002']) {
      expect(page).toContain(text);
    }
    const other = path('grants', 'https://other.example.com');
    expect((await world.get(other)).status).toBe(404);
  });

  it('are to a customer its own, without a word of others', async () => {
    const world = await createGrantedWorld();
    world.signInAs(personOf('viewer', ['tg-1001']));
    expect(await textOf(world, path('show', world.issuer))).toContain('>Grants</a>');
    const page = await textOf(world, path('grants', world.issuer));
    expect(page).toContain('repo:acme/');
    for (const other of ['globex', 'tg-2002', 'tg-3003']) expect(page).not.toContain(other);
    world.signInAs(personOf('manager', ['tg-4004']));
    const none = await textOf(world, path('grants', world.issuer));
    expect(none).toContain('Nothing is granted yet');
    expect(none).not.toContain('repo:');
  });

  it('are no subject at a provider that only the own trunk groups have', async () => {
    const world = await createPortalWorld();
    await registerOwn(world, ['tg-1001']);
    world.signInAs(personOf('manager', ['tg-1001']));
    expect(await textOf(world, path('show', world.ownIssuer))).not.toContain('>Grants</a>');
    world.signInAs(personOf('manager', ['tg-2002']));
    expect((await world.get(path('grants', world.ownIssuer))).status).toBe(404);
  });
});

describe('the issuers that trunk groups may register', () => {
  it('are listed for the staff', async () => {
    const world = await createPortalWorld();
    expect(await textOf(world, '/identity-providers/issuer-grants')).toContain(
      'Nothing is granted yet',
    );
    grantIssuer(world, world.ownIssuer, ['tg-1001', 'tg-2002']);
    expect(await textOf(world, '/identity-providers')).toContain('>Granted issuers</a>');
    const page = await textOf(world, '/identity-providers/issuer-grants');
    for (const text of [world.ownIssuer, 'tg-1001, tg-2002']) expect(page).toContain(text);
  });

  it.each([
    ['viewer', undefined, 403],
    ['manager', ['tg-1001'], 403],
    ['administrator', ['tg-1001'], 404],
  ] as const)('are not shown to a %s with %j', async (role, trunkGroups, status) => {
    const world = await createPortalWorld();
    grantIssuer(world, world.ownIssuer, ['tg-2002']);
    world.signInAs(personOf(role, trunkGroups));
    expect(await textOf(world, '/identity-providers')).not.toContain('Granted issuers');
    const response = await world.get('/identity-providers/issuer-grants');
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain('tg-2002');
  });
});

describe('the staff', () => {
  const edit = '/identity-providers/grants/edit';

  it('comes from the list to the forms, which a person with trunk groups has not', async () => {
    const world = await createGrantedWorld();
    grantIssuer(world, world.ownIssuer, ['tg-1001']);
    const list = await textOf(world, path('grants', world.issuer));
    const links = [...list.matchAll(/href="([^"]*\/(?:edit|withdraw)\?[^"]*)"/g)].map(
      ([, href = '']) => href.replaceAll('&amp;', '&'),
    );
    // A new one, and two for each grant.
    expect(links).toHaveLength(5);
    const issuers = await textOf(world, '/identity-providers/issuer-grants');
    expect(issuers).toContain('action="/identity-providers/issuer-grants/edit"');
    for (const form of ['edit', 'withdraw'])
      links.push(path(`issuer-grants/${form}`, world.ownIssuer));
    for (const link of links) expect([link, (await world.get(link)).status]).toEqual([link, 200]);
    const change = await textOf(world, links.find((link) => link.includes('globex')) ?? '');
    expect(change).toMatch(/type="hidden" name="value" value="repo:globex\/"/);
    expect(change).toMatch(/name="trunkGroups"[^>]*>tg-2002</);
    world.signInAs(personOf('administrator', ['tg-1001']));
    for (const link of links) expect([link, (await world.get(link)).status]).toEqual([link, 404]);
    expect(await textOf(world, path('grants', world.issuer))).not.toContain('/edit');
  });

  it('says of each client of another trunk group what becomes of it', async () => {
    const world = await createPortalWorld();
    const create = async (name: string, serviceTrunkGroup: string) => {
      const client = { name, serviceTrunkGroup, scopes: ['calls:view'], provider: world.issuer };
      const externalClientId = `repo:acme/${name}`;
      const made = await world.management.createClient({ ...client, externalClientId });
      return made.client.clientId;
    };
    const first = await create('first', 'tg-2002');
    const second = await create('second', 'tg-3003');
    const own = await create('own', 'tg-1001');
    const form = {
      issuer: world.issuer,
      value: 'repo:acme/',
      trunkGroups: 'tg-1001',
      ifVersion: '0',
    };
    const refused = await world.post(edit, form);
    const page = await refused.text();
    expect(refused.status).toBe(422);
    for (const id of [first, second])
      expect(page).toContain(`<select id="f-client-${id}" name="client:${id}"`);
    expect(page).not.toContain(`client:${own}`);
    const half = await world.post(edit, {
      ...form,
      [`client:${first}`]: 'disable',
      [`client:${second}`]: '',
    });
    expect(half.status).toBe(422);
    expect(await half.text()).toContain('<option value="disable" selected>');
    expect((await world.management.findClient(first)).enabled).toBe(true);
    const all = { ...form, [`client:${first}`]: 'disable', [`client:${second}`]: 'delete' };
    expect((await world.post(edit, all)).status).toBe(303);
    expect((await world.management.findClient(first)).enabled).toBe(false);
    expect([world.clients.has(second), world.clients.has(own)]).toEqual([false, true]);
    const { grants } = await world.management.findSubjectGrants(world.issuer);
    expect(grants).toEqual([{ value: 'repo:acme/', trunkGroups: ['tg-1001'] }]);
  });

  it('takes nothing from a trunk group with a form for a new grant, and grants to none with no form', async () => {
    const world = await createGrantedWorld();
    grantIssuer(world, world.ownIssuer, ['tg-1001']);
    const version = { ifVersion: '1' };
    for (const [at, field, content] of [
      [edit, 'value', { issuer: world.issuer, value: 'repo:acme/' }],
      ['/identity-providers/issuer-grants/edit', 'issuer', { issuer: world.ownIssuer }],
    ] as const) {
      const taken = await world.post(at, { ...content, ...version, trunkGroups: 'tg-2002' });
      expect(taken.status).toBe(422);
      expect(await taken.text()).toMatch(
        new RegExp(`f-${field}-error">[^<]*is granted to tg-1001`),
      );
      const none = await world.post(at, {
        ...content,
        ...version,
        exists: 'yes',
        trunkGroups: ' ',
      });
      expect(none.status).toBe(422);
      expect(await none.text()).toContain('Received nothing; allowed: one trunk group or more.');
      const changed = { ...content, ...version, exists: 'yes', trunkGroups: 'tg-1001\ntg-2002' };
      expect((await world.post(at, changed)).status).toBe(303);
    }
    const { grants } = await world.management.findSubjectGrants(world.issuer);
    expect(grants[0]?.trunkGroups).toEqual(['tg-1001', 'tg-2002']);
  });

  it('types an issuer again that cannot be granted', async () => {
    const world = await createPortalWorld();
    const at = '/identity-providers/issuer-grants/edit';
    expect(await textOf(world, `${at}?issuer=acme`)).toMatch(/name="issuer"[^>]*value="acme"/);
    for (const issuer of ['acme', 'https://gitlab.com']) {
      const refused = await world.post(at, { issuer, ifVersion: '0', trunkGroups: 'tg-1001' });
      expect(refused.status).toBe(422);
      expect(await refused.text()).toContain('id="f-issuer-error"');
    }
  });
});

it('what is not granted is told next to the field of the client id', async () => {
  const world = await createGrantedWorld();
  world.signInAs(personOf('manager', ['tg-1001']));
  const refused = await world.post('/clients', {
    name: 'Deployer',
    serviceTrunkGroup: 'tg-1001',
    scopes: 'calls:view',
    provider: world.issuer,
    externalClientId: 'repo:globex/app',
    requestId: 'request-12345',
  });
  const page = await refused.text();
  expect(refused.status).toBe(422);
  expect(page).toMatch(
    /id="f-externalClientId-error">Received &quot;repo:globex\/app&quot;; allowed: what is granted to tg-1001 at [^<]*: repo:acme\//,
  );
  expect(page).not.toContain('tg-2002');
});

describe('a client inside the grant of another trunk group', () => {
  const box = 'name="allowOtherGrant"';
  const formOf = (world: PortalWorld, more: object = {}) => ({
    name: 'Job',
    serviceTrunkGroup: 'tg-1001',
    scopes: 'calls:view',
    provider: world.issuer,
    externalClientId: 'repo:globex/app',
    requestId: 'request-12345',
    ...more,
  });

  it('is created by the staff only if it says that it is meant', async () => {
    const world = await createGrantedWorld();
    const { size } = world.clients;
    const choosing = await world.post('/clients', formOf(world, { choose: '1' }));
    expect(await choosing.text()).toContain(box);
    const refused = await world.post('/clients', formOf(world));
    expect(refused.status).toBe(422);
    const page = await refused.text();
    expect(page).toContain('is granted to other service trunk groups: repo:globex/ to tg-2002');
    expect(page).toContain(box);
    expect(world.clients.size).toBe(size);
    const meant = formOf(world, { allowOtherGrant: 'on', requestId: 'request-12346' });
    expect((await world.post('/clients', meant)).status).toBe(303);
    expect(world.clients.size).toBe(size + 1);
  });

  it('is not offered to a customer, and not created by one', async () => {
    const world = await createGrantedWorld();
    const { size } = world.clients;
    world.signInAs(personOf('manager', ['tg-1001']));
    const choosing = await world.post('/clients', formOf(world, { choose: '1' }));
    expect(await choosing.text()).not.toContain(box);
    const meant = await world.post('/clients', formOf(world, { allowOtherGrant: 'on' }));
    expect(meant.status).toBe(422);
    expect(await meant.text()).not.toContain('tg-2002');
    expect(world.clients.size).toBe(size);
  });
});
