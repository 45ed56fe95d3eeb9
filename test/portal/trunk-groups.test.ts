import { describe, expect, it } from 'vitest';
import { createPortalWorld, type PortalWorld, personOf } from './portal-world.ts';

const day = 86_400;
const page = '/trunk-groups/tg-1001';

const textOf = async (world: PortalWorld, path: string) => (await world.get(path)).text();

const noLimits = {
  ifVersion: '0',
  scopesChoice: 'all',
  providersChoice: 'all',
  maxClients: '',
  maxApiKeys: '',
  maxTokenLifetime: '',
  maxSecretLifetime: '',
};

async function findLimits({ management }: PortalWorld) {
  return management.findTrunkGroupLimits('tg-1001');
}

describe('the limits of a trunk group, set by the staff', () => {
  it('are saved from one form, and say what exceeds them', async () => {
    const world = await createPortalWorld({}, 'tg-1001');
    const { issuer, clientId, secretId } = world;
    const form = new URLSearchParams({
      ...noLimits,
      scopesChoice: 'some',
      scopes: 'calls:view',
      providersChoice: 'some',
      providers: issuer,
      maxClients: '20',
      maxApiKeys: '0',
      maxTokenLifetime: '15m',
      maxSecretLifetime: '90d',
      requireSubnet: 'on',
      requireApiKeyScopes: 'on',
      maxApiKeyLifetime: '30d',
    });
    const saved = await world.post(page, form);
    expect([saved.status, saved.headers.get('location')]).toEqual([
      303,
      `${page}?done=limits-saved`,
    ]);
    expect(await findLimits(world)).toMatchObject({
      scopes: ['calls:view'],
      providers: [issuer],
      maxClients: 20,
      maxApiKeys: 0,
      maxTokenLifetime: 900,
      maxSecretLifetime: 90 * day,
      requireSubnet: true,
      requireApiKeyScopes: true,
      maxApiKeyLifetime: 30 * day,
      version: 1,
    });
    const text = await textOf(world, `${page}?done=limits-saved`);
    expect(text).toContain('The limits were saved.');
    expect(text).toContain(`<a class="row-link" href="/clients/${clientId}">Billing</a>`);
    expect(text).toContain('<code>messaging:view</code>');
    expect(text).toContain('1 hour');
    expect(text).toContain(
      `href="/clients?text=${secretId}">Billing</a><span class="sub"><code>${secretId}</code>`,
    );
    expect(text).toContain('Never expires');
    expect(text).toContain('href="/api-keys?trunkGroup=tg-1001">All API keys</a>');
    expect((await world.management.findClient(clientId)).tokenLifetime).toBe(3600);
    expect(await textOf(world, '/trunk-groups')).toContain(`href="${page}">tg-1001</a>`);
  });

  it('can be looked at before they are saved', async () => {
    const world = await createPortalWorld({}, 'tg-1001');
    const tried = await world.post(page, { ...noLimits, maxClients: '0', preview: '1' });
    const text = await tried.text();
    expect(tried.status).toBe(200);
    expect(text).toContain('Nothing was saved yet.');
    expect(text).toContain('All clients</a>');
    expect(text).toMatch(/name="maxClients" type="text" value="0"/);
    expect((await findLimits(world)).version).toBe(0);
  });

  it('show 20 of what exceeds them, and where the others are listed', async () => {
    const world = await createPortalWorld({}, 'tg-1001');
    for (let count = 0; count < 20; count += 1) {
      const client = { name: `c ${count}`, serviceTrunkGroup: 'tg-1001', scopes: ['calls:view'] };
      await world.management.createClient(client);
    }
    const form = { ...noLimits, maxTokenLifetime: '15m', preview: '1' };
    const text = await (await world.post(page, form)).text();
    expect(text).toContain('These are 20 of 21 (Token lifetime 21).');
    expect(text.match(/class="row-link"/g)).toHaveLength(20);
  });

  it('replace the stored ones: an empty field is no limit', async () => {
    const world = await createPortalWorld();
    await world.post(page, { ...noLimits, maxClients: '3', scopesChoice: 'some' });
    expect(await findLimits(world)).toMatchObject({ maxClients: 3, scopes: [] });
    const form = await textOf(world, `${page}/edit`);
    expect(form).toMatch(/name="scopesChoice" value="some" checked/);
    expect(form).toMatch(/name="maxClients" type="text" value="3"/);
    expect((await world.post(page, { ...noLimits, ifVersion: '1' })).status).toBe(303);
    expect(await findLimits(world)).toEqual({
      serviceTrunkGroup: 'tg-1001',
      version: 2,
      updatedAt: world.now,
    });
    expect(await textOf(world, page)).toContain('is within its limits');
  });

  it('show what is stored now if another person was faster', async () => {
    const world = await createPortalWorld();
    await world.post(page, { ...noLimits, maxClients: '3' });
    const late = await world.post(page, { ...noLimits, maxClients: '9' });
    const text = await late.text();
    expect(late.status).toBe(409);
    expect(text).toMatch(/There is a problem[^]*Stored now[^]*<form class="sheet"/);
    expect(text).toContain('At most 3');
    expect(text).toMatch(/name="maxClients" type="text" value="9"/);
    expect(text).toContain('name="ifVersion" value="1"');
  });

  it('name what can no longer be chosen', async () => {
    const world = await createPortalWorld();
    const { management, issuer } = world;
    await management.setTrunkGroupLimits('tg-1001', { providers: [issuer], ifVersion: 0 });
    const { registrationId } = await management.findProvider(issuer);
    await management.deleteProvider(issuer, { ifRegistration: registrationId });
    const text = await textOf(world, `${page}/edit`);
    expect(text).toContain(
      `No longer registered, so saving removes it from the list: <code>${issuer}</code>`,
    );
  });
});

describe('the list of trunk groups', () => {
  it('opens a group without limits, and refuses an invalid one', async () => {
    const world = await createPortalWorld();
    const opened = await world.get('/trunk-groups?trunkGroup=tg-7');
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/trunk-groups/tg-7']);
    const refused = await world.get('/trunk-groups?trunkGroup=a%20b');
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('id="f-trunkGroup-error"');
  });

  it('has for the staff also the groups that have only clients or keys', async () => {
    const world = await createPortalWorld();
    await world.management.setTrunkGroupLimits('tg-2002', { maxClients: 5, ifVersion: 0 });
    const list = await textOf(world, '/trunk-groups');
    const rows = [...list.matchAll(/class="row-link" href="[^"]+">([^<]+)</g)];
    expect(rows.map(([, group]) => group?.trim())).toEqual(['tg-1001', 'tg-2002']);
  });

  it('has the groups of a customer, who sees the limits and cannot change them', async () => {
    const world = await createPortalWorld();
    const { management } = world;
    await management.setTrunkGroupLimits('tg-1001', { maxClients: 4, ifVersion: 0 });
    await management.setTrunkGroupLimits('tg-2002', { maxClients: 5, ifVersion: 0 });
    world.signInAs(personOf('manager', ['tg-1001', 'tg-3003']));
    const list = await textOf(world, '/trunk-groups');
    expect(list).toContain('tg-1001');
    expect(list).toContain('tg-3003');
    expect(list).not.toContain('tg-2002');
    const text = await textOf(world, page);
    expect(text).toContain('1 of 4 clients');
    expect(text).not.toContain('/edit');
    expect((await world.get('/trunk-groups/tg-2002')).status).toBe(404);
    expect((await world.post(page, noLimits)).status).toBe(403);
  });

  it('says of one that is stopped who stopped it and who can resume it', async () => {
    const world = await createPortalWorld({}, 'tg-1001');
    for (const members of [undefined, 'clients'] as const) {
      await world.management.setTrunkGroupEnabled('tg-1001', false, { members });
    }
    world.signInAs(personOf('manager', ['tg-1001']));
    for (const path of [page, `/clients/${world.clientId}`]) {
      const text = await textOf(world, path);
      expect(text).toMatch(/stopped by a stop of its service trunk group \(Platform staff\) at/);
      expect(text).toContain('ends if the staff resumes the trunk group');
    }
  });
});
