import { describe, expect, it } from 'vitest';
import { createPortalWorld, type PortalWorld, personOf } from './portal-world.ts';

const day = 86_400;

/** A world whose trunk group tg-1001 has limits, with a manager of it signed in. */
async function createLimitedWorld(groups = ['tg-1001']): Promise<PortalWorld> {
  const world = await createPortalWorld({}, 'tg-1001');
  await world.management.setTrunkGroupLimits('tg-1001', {
    scopes: ['messaging:view'],
    maxTokenLifetime: 900,
    maxSecretLifetime: 40 * day,
    maxApiKeys: 0,
    requireSubnet: true,
    providers: [],
    ifVersion: 0,
  });
  world.signInAs(personOf('manager', groups));
  return world;
}

const textOf = async (world: PortalWorld, path: string) => (await world.get(path)).text();

describe('the limits of a trunk group', () => {
  it('leave out of the form of a client what cannot be granted', async () => {
    const world = await createLimitedWorld();
    const text = await textOf(world, '/clients/new');
    expect(text).toContain('value="messaging:view"');
    expect(text).not.toContain('value="calls:view"');
    expect(text).toContain('1m to 15m');
    expect(text).toContain('name="tokenLifetime" type="text" value="15m"');
    expect(text).not.toContain('Client id at the provider');
  });

  it('leave what a client has in its form', async () => {
    const world = await createLimitedWorld();
    const { clientId, management } = world;
    await management.updateClient(clientId, { scopes: ['messaging:view', 'calls:view'] });
    const text = await textOf(world, `/clients/${clientId}/edit`);
    expect(text).toMatch(/value="calls:view" checked/);
    expect(text).not.toContain('value="calls:manage"');
  });

  it.each(['secrets/new', 'keys/rotate'])(
    'leave only short lives of a secret: %s',
    async (page) => {
      const world = await createLimitedWorld();
      const text = await textOf(world, `/clients/${world.clientId}/${page}`);
      expect(text).toMatch(/name="expiry" value="days-30" checked/);
      expect(text).not.toMatch(/name="expiry" value="(?:never|days-90|days-365)"/);
      expect(text).toContain('it may be valid for at most 40 days');
    },
  );

  it('are said where an API key is created', async () => {
    const world = await createLimitedWorld();
    const { version } = await world.management.findTrunkGroupLimits('tg-1001');
    const limits = { requireSubnet: true, ifVersion: version };
    await world.management.setTrunkGroupLimits('tg-1001', limits);
    expect(await textOf(world, '/api-keys/new')).toContain(
      'A key of this trunk group needs one or more, each /16 or longer (IPv6: /32 or longer).',
    );
  });

  it('do not bind the staff', async () => {
    const world = await createLimitedWorld();
    world.signInAs(personOf('administrator'));
    const text = await textOf(world, '/clients/new?trunkGroup=tg-1001');
    expect(text).toContain('value="calls:view"');
  });
});

describe('the trunk group', () => {
  it('is chosen first by a person with several, and then the form is for it', async () => {
    const world = await createLimitedWorld(['tg-1001', 'tg-2002']);
    for (const path of ['/clients/new', '/api-keys/new']) {
      const text = await textOf(world, path);
      expect(text).toContain('<option value="tg-2002">');
      expect(text).not.toContain('method="post" action="/clients"');
    }
    const limited = await textOf(world, '/clients/new?trunkGroup=tg-1001');
    expect(limited).toContain('name="serviceTrunkGroup" value="tg-1001"');
    expect(limited).not.toContain('value="calls:view"');
    const other = await textOf(world, '/clients/new?trunkGroup=tg-2002');
    expect(other).toContain('value="calls:view"');
  });

  it('is not that of another customer', async () => {
    const world = await createLimitedWorld(['tg-1001', 'tg-2002']);
    const text = await textOf(world, '/clients/new?trunkGroup=tg-9999');
    expect(text).not.toContain('tg-9999');
    expect(text).toContain('<option value="tg-1001">');
  });
});
