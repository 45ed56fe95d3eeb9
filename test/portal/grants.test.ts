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
