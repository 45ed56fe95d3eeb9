import { describe, expect, it } from 'vitest';
import { createPortalWorld, personOf } from './portal-world.ts';

const day = 86_400;

describe('the expiry of an API key', () => {
  it('is chosen at the creation, and shown on its page and in the list', async () => {
    const world = await createPortalWorld();
    const { management, get, post, now } = world;
    const sent = {
      name: 'Script',
      serviceTrunkGroup: 'tg-1001',
      enabled: 'on',
      expiry: 'days-30',
      requestId: 'request-0000000001',
    };
    expect(await (await post('/api-keys', sent)).text()).toContain('The API key was created');
    const { items } = await management.listApiKeys({ text: 'Script' });
    expect(items.map(({ expiresAt }) => expiresAt)).toEqual([now + 30 * day]);
    const keyId = items[0]?.keyId ?? '';
    await management.updateApiKey(keyId, { expiresAt: now + day });
    expect(await (await get(`/api-keys/${keyId}`)).text()).toContain('Expires soon');
    expect(await (await get('/api-keys?expires=soon')).text()).toContain(keyId);
    await management.updateApiKey(keyId, { expiresAt: now + 15 * day });
    expect(await (await get('/api-keys?expires=soon')).text()).not.toContain(keyId);
  });

  it('is changed, kept and removed on the page that edits the key', async () => {
    const world = await createPortalWorld();
    const { management, keyId, post, now } = world;
    const edit = async (expiry: string, more: Readonly<Record<string, string>> = {}) => {
      const { version, name } = await management.findApiKey(keyId);
      const form = { name, ifVersion: String(version), expiry, ...more };
      const { status } = await post(`/api-keys/${keyId}`, form);
      return [status, (await management.findApiKey(keyId)).expiresAt];
    };
    expect(await edit('days-90')).toEqual([303, now + 90 * day]);
    expect(await edit('keep', { name: 'Other' })).toEqual([303, now + 90 * day]);
    expect(await edit('date', { expiryDate: '2020-01-01' })).toEqual([422, now + 90 * day]);
    expect(await edit('never')).toEqual([303, undefined]);
  });
});

describe('the scopes of an API key', () => {
  const sent = {
    name: 'Script',
    serviceTrunkGroup: 'tg-1001',
    enabled: 'on',
    requestId: 'request-0000000001',
  };

  it('are chosen at the creation, and its page says what every scope means', async () => {
    const { management, get, post, keyId } = await createPortalWorld();
    const created = await post('/api-keys', { ...sent, access: 'chosen', scopes: 'calls:view' });
    expect(await created.text()).toContain('calls:view');
    const { items } = await management.listApiKeys({ text: 'Script' });
    expect(items.map(({ scopes }) => scopes)).toEqual([['calls:view']]);
    expect(await (await get(`/api-keys/${keyId}`)).text()).toContain('Every scope: anyone who');
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['are not none by mistake', { access: 'chosen' }, 'one scope or more'],
    [
      'are not ticked without a word',
      { access: 'every', scopes: 'calls:view' },
      'Received the scopes “calls:view” without the choice “Only these scopes”',
    ],
    ['are of the catalogue', { access: 'chosen', scopes: 'calls:vew' }, 'allowed:'],
  ])('%s', async (_, fields, message) => {
    const { management, post } = await createPortalWorld();
    const refused = await post('/api-keys', { ...sent, ...fields });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(message)]);
    expect((await management.listApiKeys({ text: 'Script' })).items).toEqual([]);
  });

  it('are changed, kept by a form without the field, and removed', async () => {
    const { management, keyId, post } = await createPortalWorld();
    const edit = async (more: Readonly<Record<string, string>>) => {
      const { version, name } = await management.findApiKey(keyId);
      await post(`/api-keys/${keyId}`, { name, ifVersion: String(version), ...more });
      return (await management.findApiKey(keyId)).scopes;
    };
    expect(await edit({ access: 'chosen', scopes: 'calls:view' })).toEqual(['calls:view']);
    expect(await edit({ name: 'Other' })).toEqual(['calls:view']);
    expect(await edit({ access: 'every' })).toBeUndefined();
  });
});

describe('the limits of a trunk group on API keys', () => {
  it('are what the forms offer, and a key above them says why it is refused', async () => {
    const staff = await createPortalWorld({}, 'tg-1001');
    const { keyId, management } = staff;
    const limits = {
      scopes: ['calls:view'],
      requireApiKeyScopes: true,
      maxApiKeyLifetime: 40 * day,
    };
    await management.setTrunkGroupLimits('tg-1001', limits);
    const shown = await (await staff.get('/trunk-groups/tg-1001')).text();
    expect(shown).toContain('Every key needs its own');
    expect(shown).toContain(`href="/api-keys/${keyId}"`);
    staff.signInAs(personOf('manager', ['tg-1001']));
    const form = await (await staff.get('/api-keys/new?trunkGroup=tg-1001')).text();
    expect(form).toContain('value="days-30" checked');
    expect(form).not.toMatch(/value="(?:never|days-90|every|messaging:view)"/);
    expect(form).toMatch(/value="chosen" checked/);
  });
});

describe('the rotation of an API key', () => {
  it('shows the new value once, and the page of the key says when the old one ends', async () => {
    const { management, keyId, get, post, now } = await createPortalWorld();
    const { version } = await management.findApiKey(keyId);
    const page = await (await get(`/api-keys/${keyId}`)).text();
    expect(page).toContain(`href="/api-keys/${keyId}/rotate"`);
    const form = await (await get(`/api-keys/${keyId}/rotate`)).text();
    expect(form).toMatch(/value="7d" checked/);
    const sent = {
      overlap: '7d',
      expiry: 'days-90',
      ifVersion: String(version),
      requestId: 'request-0000000001',
    };
    const rotated = await (await post(`/api-keys/${keyId}/rotate`, sent)).text();
    expect(rotated).toContain('The API key was rotated');
    const value = /ak_\w{72}/.exec(rotated)?.[0] ?? 'none';
    const stored = await management.findApiKey(keyId);
    expect(stored).toMatchObject({
      expiresAt: now + 90 * day,
      oldValues: [{ expiresAt: now + 7 * day }],
    });
    const again = await (await post(`/api-keys/${keyId}/rotate`, sent)).text();
    expect(again).toContain('its value was sent to your browser before');
    expect(again).toContain('rotate the key again');
    const after = await (await get(`/api-keys/${keyId}`)).text();
    expect(after).toContain('Old value expires');
    expect(after).toContain(`href="/api-keys/${keyId}/edit">End it now</a>`);
    expect(again + after).not.toContain(value);
    const edit = { name: 'Ada', ifVersion: String(stored.version) };
    await post(`/api-keys/${keyId}`, { ...edit, endOldValues: 'on' });
    expect((await management.findApiKey(keyId)).oldValues).toBeUndefined();
  });

  it('shows that the old value ends with the key, if that is before', async () => {
    const { management, keyId, get, now } = await createPortalWorld();
    await management.rotateApiKey(keyId, { overlap: 7 * day, expiresAt: now + 2 * day });
    const page = await (await get(`/api-keys/${keyId}`)).text();
    const [, old] = /Old value expires([\s\S]*?)<\/div>/.exec(page) ?? [];
    expect(old).toContain('in 2 days');
    expect(page).not.toContain('in 7 days');
  });

  it('is not offered for a key that is disabled or has expired, and refused', async () => {
    const { management, keyId, get, post } = await createPortalWorld();
    const { version } = await management.setApiKeyEnabled(keyId, false);
    expect(await (await get(`/api-keys/${keyId}`)).text()).not.toContain('/rotate"');
    const sent = {
      overlap: '7d',
      expiry: 'keep',
      ifVersion: String(version),
      requestId: 'request-1',
    };
    const refused = await post(`/api-keys/${keyId}/rotate`, sent);
    expect(await refused.text()).toContain('is disabled; enable it before it is rotated');
  });
});

describe('the current address', () => {
  const address = '198.51.100.7';

  it('is added by a button, as a row of a new key and as a subnet of another one', async () => {
    const { management, keyId, get, post } = await createPortalWorld({
      callerAddressOf: () => address,
    });
    const button = `name="current" value="${address}"`;
    expect(await (await get('/api-keys/new?trunkGroup=tg-1001')).text()).toContain(button);
    const sent = {
      serviceTrunkGroup: 'tg-1001',
      rows: '2',
      'subnets[0].name': 'office',
      'subnets[0].address': '203.0.113.0/24',
      current: address,
    };
    const shown = await (await post('/api-keys', sent)).text();
    expect(shown).toMatch(/name="subnets\[0\]\.address"[^>]* value="203\.0\.113\.0\/24"/);
    expect(shown).toMatch(/name="subnets\[1\]\.address"[^>]* value="198\.51\.100\.7"/);
    expect((await management.listApiKeys()).items).toHaveLength(1);
    const page = await (await get(`/api-keys/${keyId}`)).text();
    expect(page).toMatch(new RegExp(`name="address" value="${address}"`));
    const { version, subnets } = await management.findApiKey(keyId);
    const added = await post(`/api-keys/${keyId}/subnets`, {
      ifVersion: String(version),
      name: 'My address',
      address,
    });
    expect(added.headers.get('location')).toContain('done=subnet-added');
    expect((await management.findApiKey(keyId)).subnets).toEqual([
      ...subnets,
      expect.objectContaining({ name: 'My address', address, prefixLength: 32 }),
    ]);
    const then = await (await get(`/api-keys/${keyId}`)).text();
    expect(then).not.toContain('Add my current address');
  });

  it('is not offered if the server does not know it', async () => {
    const { keyId, get } = await createPortalWorld();
    for (const path of ['/api-keys/new?trunkGroup=tg-1001', `/api-keys/${keyId}`]) {
      const forwarded = { 'x-forwarded-for': address };
      expect(await (await get(path, forwarded)).text()).not.toContain('name="current"');
    }
  });
});

describe('warnings about subnets', () => {
  it('are shown with a new key, and when a subnet was added', async () => {
    const { management, keyId, get, post } = await createPortalWorld();
    const sent = {
      name: 'Script',
      serviceTrunkGroup: 'tg-1001',
      rows: '2',
      'subnets[0].name': 'one',
      'subnets[0].address': '0.0.0.7/1',
      'subnets[1].name': 'two',
      'subnets[1].address': '128.0.0.0/1',
      requestId: 'request-0000000001',
    };
    const page = await (await post('/api-keys', sent)).text();
    expect(page).toContain('0.0.0.7/1 was stored as the network 0.0.0.0/1.');
    expect(page).toContain('The subnets together are every IPv4 address: they limit nothing.');
    const { version } = await management.findApiKey(keyId);
    const added = await post(`/api-keys/${keyId}/subnets`, {
      ifVersion: String(version),
      name: 'lan',
      address: '10.1.2.3',
      netmask: '255.0.0.0',
    });
    const location = added.headers.get('location') ?? '';
    expect(location).toContain('done=subnet-added-cut');
    const after = await (await get(location)).text();
    expect(after).toContain('The rest of the address was cut.');
    expect(after).toContain('10.0.0.0/8 is a private range');
  });
});

describe('the last use of an API key', () => {
  it('is on its page and in the list, for each value after a rotation', async () => {
    const days = new Map<string, string>();
    const world = await createPortalWorld();
    const { management, keyId, get } = world;
    const findLastUses = async (uses: readonly { readonly valueId: string }[]) =>
      uses.map(({ valueId }) => days.get(valueId));
    Object.assign(world.context, { apiKeyUses: { findLastUses } });
    const textOf = async (path: string) => (await (await get(path)).text()).replace(/\s+/g, ' ');
    expect(await textOf(`/api-keys/${keyId}`)).toMatch(/Last used<\/dt>.{0,60}Not recorded/);
    days.set(keyId, new Date((world.now - day) * 1000).toISOString().slice(0, 10));
    expect(await textOf(`/api-keys/${keyId}`)).toMatch(/Last used<\/dt>.{0,60}Yesterday/);
    expect(await textOf('/api-keys')).toContain('Yesterday');
    await management.rotateApiKey(keyId, { overlap: 7 * day });
    const rotated = await textOf(`/api-keys/${keyId}`);
    expect(rotated).toMatch(/New value last used<\/dt>.{0,60}Not recorded/);
    expect(rotated).toMatch(/Old value last used<\/dt>.{0,60}Yesterday/);
  });
});

describe('an API key that expires soon', () => {
  it('is on the overview', async () => {
    const { management, keyId, get, now } = await createPortalWorld();
    expect(await (await get('/')).text()).toContain('No API key expires within 14 days');
    await management.updateApiKey(keyId, { expiresAt: now + 3 * day });
    const text = await (await get('/')).text();
    expect(text).toContain('API keys that expire within 14 days');
    expect(text).toContain('href="/api-keys?expires=soon&amp;enabled=yes"');
  });
});
