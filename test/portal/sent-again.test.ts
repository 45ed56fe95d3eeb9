import { describe, expect, it } from 'vitest';
import { createPortalWorld, type PortalWorld } from './portal-world.ts';

const client = {
  name: 'Dialer',
  serviceTrunkGroup: 'tg-1001',
  tokenLifetime: '1h',
  scopes: 'calls:view',
  requestId: 'request-1',
};
const apiKey = { name: 'Grace', serviceTrunkGroup: 'tg-1001', rows: '0', requestId: 'request-1' };

const requestIdIn = (text: string) => /name="requestId" value="([^"]+)"/.exec(text)?.[1];

describe('a form that is sent again after Back', () => {
  it('does not show the old client as a new one', async () => {
    const { post, get, clients } = await createPortalWorld();
    await post('/clients', client);
    const again = await post('/clients', client);
    const page = await (await get(again.headers.get('location') ?? '')).text();
    expect(page).toContain('This form was sent before');
    expect(page).not.toContain('The client was created. Now');
    expect(clients.size).toBe(2);
  });

  it.each([
    ['/clients', client, ({ clients }: PortalWorld) => clients.size],
    ['/api-keys', apiKey, ({ apiKeys }: PortalWorld) => apiKeys.size],
  ] as const)('%s with another content can create another one', async (path, form, count) => {
    const world = await createPortalWorld();
    await world.post(path, form);
    const changed = { ...form, name: 'Another' };
    const refused = await world.post(path, changed);
    const text = await refused.text();
    expect(refused.status).toBe(409);
    expect(text).toContain('This form was sent before, with other values');
    const requestId = requestIdIn(text) ?? '';
    expect(requestId).not.toBe(form.requestId);
    const before = count(world);
    expect([200, 303]).toContain((await world.post(path, { ...changed, requestId })).status);
    expect(count(world)).toBe(before + 1);
  });

  it('keeps its id if it was refused for another reason', async () => {
    const { post } = await createPortalWorld();
    const text = await (await post('/clients', { ...client, name: '' })).text();
    expect(requestIdIn(text)).toBe(client.requestId);
  });
});

describe('an emergency', () => {
  it.each([
    ['a client', ({ clientId }: PortalWorld) => `/clients/${clientId}/disable`],
    ['an API key', ({ keyId }: PortalWorld) => `/api-keys/${keyId}/disable`],
  ])('disables %s although another person changed it', async (_, path) => {
    const world = await createPortalWorld();
    expect((await world.post(path(world), { ifVersion: '7' })).status).toBe(303);
    const { clientId, keyId, management } = world;
    const found = path(world).includes(clientId)
      ? await management.findClient(clientId)
      : await management.findApiKey(keyId);
    expect(found.enabled).toBe(false);
    // What lets access in again is decided on what is there.
    const enable = path(world).replace('disable', 'enable');
    expect((await world.post(enable, { ifVersion: '7' })).status).toBe(409);
  });
});

describe('a refused rotation', () => {
  it('does not take a newer version in silence', async () => {
    const { post, clientId, management } = await createPortalWorld();
    const { version } = await management.findClient(clientId);
    const form = { overlap: 'soon', requestId: 'request-1', ifVersion: String(version) };
    await management.updateClient(clientId, { name: 'Changed by another' });
    const path = `/clients/${clientId}/secrets/rotate`;
    const refused = await (await post(path, form)).text();
    expect(refused).toContain(`name="ifVersion" value="${version}"`);
    const again = await post(path, { ...form, overlap: '1d' });
    expect(again.status).toBe(409);
    const { version: now } = await management.findClient(clientId);
    expect(await again.text()).toContain(`name="ifVersion" value="${now}"`);
  });
});

describe('Enter in the form of an API key', () => {
  it('creates the key: the first button is not the one for more rows', async () => {
    const { get } = await createPortalWorld();
    const text = await (await get('/api-keys/new?trunkGroup=tg-1001')).text();
    const [form = ''] = /<form class="sheet".*<\/form>/s.exec(text) ?? [];
    const [first = ''] = /<button[^>]*type="submit"[^>]*>/.exec(form) ?? [];
    expect(first).not.toContain('name="more"');
    expect(form.match(/name="more"/g)).toHaveLength(1);
  });
});

describe('several wrong values', () => {
  it('of an API key and its subnets are told at once', async () => {
    const { post } = await createPortalWorld();
    const form = {
      ...apiKey,
      name: 'x'.repeat(200),
      serviceTrunkGroup: 'not a group',
      rows: '2',
      'subnets[0].name': 'x'.repeat(200),
      'subnets[0].address': '10.0.0.300',
      'subnets[1].name': 'office',
      'subnets[1].address': '10.0.0.0',
      'subnets[1].netmask': '99',
    };
    const text = await (await post('/api-keys', form)).text();
    const ofSubnets = ['subnets-0--name', 'subnets-0--address', 'subnets-1--netmask'];
    for (const field of ['name', 'serviceTrunkGroup', ...ofSubnets])
      expect(text).toContain(`id="f-${field}-error"`);
  });
});

describe('a refused form', () => {
  it('names a field that the form does not have in words', async () => {
    const { errorSummary } = await import('../../portal/html/form.ts');
    const problems = { status: 422, fields: [{ field: 'externalClientId', message: 'No.' }] };
    expect(String(errorSummary(problems, {}))).toContain('>External client id</a>: No.');
  });
});
