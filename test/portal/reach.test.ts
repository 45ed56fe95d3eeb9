import { describe, expect, it } from 'vitest';
import type { PortalReach } from '../../contract/reach.ts';
import type { Role } from '../../portal/access/guarded-management.ts';
import { createWorld } from '../adapters/management/world.ts';
import { createTestFunction } from '../support/management-function.ts';
import { createPortalWorld, type PortalWorld } from './portal-world.ts';

/** The pages over the management function, whose config limits the portal. */
async function createReachWorld(reach: Partial<PortalReach>): Promise<PortalWorld> {
  const { context } = await createWorld('tg-1001');
  const { config } = context;
  const portalReach = { administrators: true, ...reach };
  const management = createTestFunction({
    ...context,
    config: { ...config, management: { ...config.management, portalReach } },
  }).through('portal');
  return createPortalWorld({ management });
}

function signInAs(world: PortalWorld, role: Role, trunkGroups?: readonly string[]): void {
  const actor = async () => `https://login.example.com#${role}`;
  world.signInAs({ name: role, role, trunkGroups, actor });
}

const textOf = async (world: PortalWorld, path: string) => (await world.get(path)).text();

const client = { name: 'Billing', tokenLifetime: '15m', scopes: 'messaging:view' };

describe('the reach of a portal in the deployment config', () => {
  it('limits what forms offer, also to the staff', async () => {
    const world = await createReachWorld({ scopes: ['messaging:view'], maxTokenLifetime: 900 });
    signInAs(world, 'administrator');
    const text = await textOf(world, '/clients/new?trunkGroup=tg-1001');
    expect(text).toContain('value="messaging:view"');
    expect(text).not.toContain('value="calls:view"');
    expect(text).toContain('1m to 15m');
    expect(await textOf(world, '/trunk-groups/tg-1001')).toContain('At most 15 minutes');
    const sent = { ...client, serviceTrunkGroup: 'tg-1001', scopes: 'calls:view' };
    const refused = await world.post('/clients', sent);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain(
      'Received &quot;calls:view&quot;; allowed: messaging:view, within your limits.',
    );
  });

  it('makes administrators of some trunk groups people of these', async () => {
    const world = await createReachWorld({ trunkGroups: ['tg-1001'] });
    signInAs(world, 'administrator');
    const text = await textOf(world, '/clients/new');
    expect(text).toContain('name="serviceTrunkGroup" value="tg-1001"');
    expect(await textOf(world, '/trunk-groups/tg-1001')).not.toContain('/edit');
  });

  it('narrows the trunk groups of a customer', async () => {
    const world = await createReachWorld({ trunkGroups: ['tg-1001'] });
    signInAs(world, 'manager', ['tg-1001', 'tg-2002']);
    expect(await textOf(world, '/clients/new')).not.toContain('tg-2002');
    const refused = await world.post('/clients', { ...client, serviceTrunkGroup: 'tg-2002' });
    expect(refused.status).toBe(404);
    expect(await refused.text()).toContain('it belongs to another trunk group');
  });

  it('leaves a customer of other groups nothing to create, and says so', async () => {
    const world = await createReachWorld({ trunkGroups: ['tg-1001'] });
    signInAs(world, 'manager', ['tg-2002']);
    for (const path of ['/clients/new', '/api-keys/new']) {
      const text = await textOf(world, path);
      expect(text).toContain('You have no trunk group here');
      expect(text).not.toContain('method="post" action="/clients"');
    }
  });
});

describe('the staff chooses the trunk group', () => {
  it('of those that have something or limits, or types another one', async () => {
    const world = await createReachWorld({});
    signInAs(world, 'administrator');
    await world.post('/trunk-groups/tg-3003', { ifVersion: '0', maxClients: '5' });
    const text = await textOf(world, '/clients/new');
    expect(text).toContain('<option value="tg-1001"></option>');
    expect(text).toContain('<option value="tg-3003"></option>');
    expect(text).toContain('href="/clients">Cancel</a>');
    const other = await textOf(world, '/api-keys/new?trunkGroup=tg-9');
    expect(other).toContain('name="serviceTrunkGroup" value="tg-9"');
    const wrong = await world.get('/clients/new?trunkGroup=a+b');
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain('id="f-trunkGroup-error"');
  });

  it('types it if there are too many to choose from', async () => {
    const world = await createPortalWorld();
    for (let group = 0; group < 51; group += 1) {
      await world.management.setTrunkGroupLimits(`tg-${group}`, { maxClients: 1, ifVersion: 0 });
    }
    const text = await textOf(world, '/clients/new');
    expect(text).toMatch(/id="f-serviceTrunkGroup" name="serviceTrunkGroup" type="text"/);
    const again = await world.post('/clients', {
      ...client,
      name: '',
      serviceTrunkGroup: 'tg-7',
      typesTrunkGroup: '1',
    });
    expect(await again.text()).toMatch(/name="serviceTrunkGroup" type="text" value="tg-7"/);
  });
});

describe('a trunk group in which nothing may be created', () => {
  it.each([
    ['/clients/new', { maxClients: 0 }, 'No clients are allowed in tg-1001'],
    ['/api-keys/new', { maxApiKeys: 0 }, 'No API keys are allowed in tg-1001'],
  ])('has no form at %s', async (path, limits, title) => {
    const world = await createReachWorld({});
    signInAs(world, 'administrator');
    const form = { ifVersion: '0', maxClients: '', maxApiKeys: '' };
    const zero = Object.fromEntries(Object.keys(limits).map((name) => [name, '0']));
    expect((await world.post('/trunk-groups/tg-1001', { ...form, ...zero })).status).toBe(303);
    signInAs(world, 'manager', ['tg-1001']);
    const text = await textOf(world, path);
    expect(text).toContain(title);
    expect(text).not.toContain('name="requestId"');
  });
});
