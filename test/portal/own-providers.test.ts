import { describe, expect, it } from 'vitest';
import { bindManagement } from '../../adapters/management.ts';
import { grantIssuer, registerOwn } from '../adapters/management/world.ts';
import { createPortalWorld, type PortalWorld, personOf } from './portal-world.ts';

const path = (page: string, issuer: string) =>
  `/identity-providers/${page}?issuer=${encodeURIComponent(issuer)}`;

const textOf = async (world: PortalWorld, page: string) => (await world.get(page)).text();

/** Ada manages `tg-1001` and `tg-1002`. The first may have providers of its own. */
async function createCustomerWorld(ownProviders = 1): Promise<PortalWorld> {
  const world = await createPortalWorld();
  await registerOwn(world, ['tg-1001']);
  world.providers.delete(world.ownIssuer);
  grantIssuer(world, world.ownIssuer, ['tg-1001', 'tg-1002', 'tg-2002']);
  world.limits.set('tg-1001', { serviceTrunkGroup: 'tg-1001', version: 1, ownProviders });
  world.signInAs(personOf('manager', ['tg-1001', 'tg-1002']));
  return world;
}

const discoveryUrl = (world: PortalWorld) => `${world.ownIssuer}/.well-known/openid-configuration`;

async function register(world: PortalWorld, trunkGroups: readonly string[] = ['tg-1001']) {
  const { ownIssuer } = world;
  const form = new URLSearchParams({
    discoveryUrl: discoveryUrl(world),
    ifIssuer: ownIssuer,
    ifJwksUri: `${ownIssuer}/keys`,
  });
  for (const group of trunkGroups) form.append('trunkGroups', group);
  return world.post('/identity-providers', form);
}

describe('a customer', () => {
  it('looks up a provider, and registers it for a trunk group that may have one', async () => {
    const world = await createCustomerWorld();
    expect(await textOf(world, '/identity-providers')).toContain('Register provider');
    const query = new URLSearchParams({ discoveryUrl: discoveryUrl(world) });
    const found = await textOf(world, `/identity-providers/new?${query.toString()}`);
    expect(found).toContain('name="trunkGroups" value="tg-1001"');
    expect(found).not.toContain('value="tg-1002"');
    expect(found).toContain('formaction="/identity-providers"');
    expect((await register(world)).status).toBe(303);
    const shown = await textOf(world, path('show', world.ownIssuer));
    expect(shown).toMatch(/Trunk groups<\/dt><dd><code>tg-1001<\/code>/);
    expect(shown).toContain('Delete…');
    expect(shown).toContain('/identity-providers/trunk-groups?');
    world.signInAs(personOf('manager', ['tg-1001']));
    const ofOne = await textOf(world, path('show', world.ownIssuer));
    expect(ofOne).toContain('Delete…');
    expect(ofOne).not.toContain('/identity-providers/trunk-groups?');
    world.signInAs(personOf('manager', ['tg-1001', 'tg-1002']));
    expect(await textOf(world, '/clients/new?trunkGroup=tg-1001')).toContain(world.ownIssuer);
    expect(await textOf(world, '/clients/new?trunkGroup=tg-1002')).not.toContain(world.ownIssuer);
  });

  it('chooses among the trunk groups that may have one', async () => {
    const world = await createCustomerWorld(2);
    world.limits.set('tg-1002', { serviceTrunkGroup: 'tg-1002', version: 1, ownProviders: 1 });
    await register(world);
    const edit = await textOf(world, path('trunk-groups', world.ownIssuer));
    expect(edit).toMatch(/value="tg-1001" checked/);
    expect(edit).toMatch(/value="tg-1002"(?! checked)/);
    const form = new URLSearchParams({ issuer: world.ownIssuer, ifVersion: '1' });
    const none = await world.post('/identity-providers/trunk-groups', form);
    expect(none.status).toBe(422);
    expect(await none.text()).toContain('allowed: one or more of tg-1001, tg-1002');
    for (const group of ['tg-1001', 'tg-1002']) form.append('trunkGroups', group);
    expect((await world.post('/identity-providers/trunk-groups', form)).status).toBe(303);
    expect((await world.post('/identity-providers/trunk-groups', form)).status).toBe(409);
    expect(await textOf(world, path('show', world.ownIssuer))).toContain('tg-1001, tg-1002');
  });

  it('who may register none is not offered it, and is told whom to ask', async () => {
    const world = await createCustomerWorld(0);
    expect(await textOf(world, '/identity-providers')).not.toContain('Register provider');
    const text = await textOf(world, '/identity-providers/new');
    expect(text).toContain('may register no identity provider');
    expect(text).not.toContain('name="discoveryUrl"');
    const response = await register(world);
    expect(response.status).toBe(422);
    expect(world.providers.has(world.ownIssuer)).toBe(false);
    const query = new URLSearchParams({ discoveryUrl: discoveryUrl(world) });
    expect((await world.get(`/identity-providers/new?${query.toString()}`)).status).toBe(422);
  });

  it('is refused an issuer that is registered, and does not learn whose it is', async () => {
    const world = await createCustomerWorld();
    await registerOwn(world, ['tg-2002']);
    expect(await textOf(world, '/identity-providers')).not.toContain(world.ownIssuer);
    for (const page of ['show', 'delete', 'trunk-groups']) {
      expect((await world.get(path(page, world.ownIssuer))).status).toBe(404);
    }
    const response = await register(world);
    expect(response.status).toBe(422);
    const text = await response.text();
    expect(text).toContain('an issuer is registered once');
    expect(text).not.toContain('tg-2002');
  });

  it('changes no provider of the platform', async () => {
    const world = await createCustomerWorld();
    const text = await textOf(world, path('show', world.issuer));
    expect(text).not.toContain('Delete…');
    expect(text).not.toContain('/identity-providers/trunk-groups');
    for (const page of ['delete', 'trunk-groups']) {
      const response = await world.get(path(page, world.issuer));
      expect([response.status, response.headers.get('location')]).toEqual([
        303,
        path('show', world.issuer),
      ]);
    }
    const registration = world.providers.get(world.issuer)?.registrationId ?? '';
    const form = { issuer: world.issuer, ifRegistration: registration };
    expect((await world.post('/identity-providers/delete', form)).status).toBe(422);
    expect(world.providers.has(world.issuer)).toBe(true);
  });

  it('as a viewer sees the own provider, and changes nothing', async () => {
    const world = await createCustomerWorld();
    await register(world);
    world.signInAs(personOf('viewer', ['tg-1001']));
    const text = await textOf(world, path('show', world.ownIssuer));
    expect(text).not.toContain('Delete…');
    expect((await world.get(path('trunk-groups', world.ownIssuer))).status).toBe(403);
    expect((await register(world)).status).toBe(403);
  });
});

it('the staff sees whose a provider is, and takes it over', async () => {
  const world = await createCustomerWorld();
  await register(world);
  world.signInAs(personOf('administrator'));
  expect(await textOf(world, '/identity-providers')).toContain('<code>tg-1001</code>');
  const edit = await textOf(world, path('trunk-groups', world.ownIssuer));
  expect(edit).toMatch(/<textarea[^>]*name="trunkGroups"[^>]*>tg-1001<\/textarea>/);
  const form = { issuer: world.ownIssuer, ifVersion: '1', trunkGroups: '' };
  expect((await world.post('/identity-providers/trunk-groups', form)).status).toBe(303);
  expect(await textOf(world, path('show', world.ownIssuer))).toMatch(
    /Trunk groups<\/dt><dd>All<\/dd>/,
  );
});

it('the staff sees what a takeover keeps, and names whose clients stay', async () => {
  const world = await createCustomerWorld();
  await bindManagement(world.context).registerProvider(discoveryUrl(world), {
    trunkGroups: ['tg-1001'],
    clientIdClaim: 'preferred_username',
    allowUserWritableClaim: true,
  });
  await bindManagement(world.context).createClient({
    name: 'Prepared',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['calls:view'],
    provider: world.ownIssuer,
    externalClientId: 'grace',
  });
  world.signInAs(personOf('administrator'));
  const edit = await textOf(world, path('trunk-groups', world.ownIssuer));
  for (const text of ['preferred_username', 'Prepared', 'Clients (1)']) {
    expect(edit).toContain(text);
  }
  expect(edit).toMatch(/name="allowUserWritableClaim"(?![^>]*checked)/);
  const take = (more: Record<string, string>) =>
    world.post('/identity-providers/trunk-groups', {
      issuer: world.ownIssuer,
      ifVersion: '1',
      trunkGroups: '',
      ...more,
    });
  const unconfirmed = await take({ keepClientsOf: 'tg-1001' });
  expect([unconfirmed.status, await unconfirmed.text()]).toEqual([
    422,
    expect.stringContaining('is not known to be written only by the provider'),
  ]);
  const unnamed = await take({ allowUserWritableClaim: 'on' });
  expect([unnamed.status, await unnamed.text()]).toEqual([
    422,
    expect.stringContaining('or name each trunk group whose clients stay'),
  ]);
  const other = await take({ allowUserWritableClaim: 'on', keepClientsOf: 'tg-2002' });
  expect([other.status, await other.text()]).toEqual([
    422,
    expect.stringMatching(/name="keepClientsOf"[^>]*>tg-2002</),
  ]);
  expect([...world.owners.values()].at(-1)?.trunkGroups).toEqual(['tg-1001']);
  const kept = await take({ allowUserWritableClaim: 'on', keepClientsOf: 'tg-1001' });
  expect(kept.status).toBe(303);
  expect([...world.owners.values()].at(-1)?.trunkGroups).toEqual([]);
});
