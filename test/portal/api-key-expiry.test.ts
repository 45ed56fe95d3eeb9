import { describe, expect, it } from 'vitest';
import { createPortalWorld } from './portal-world.ts';

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
      const form = { name, enabled: 'on', ifVersion: String(version), expiry, ...more };
      const { status } = await post(`/api-keys/${keyId}`, form);
      return [status, (await management.findApiKey(keyId)).expiresAt];
    };
    expect(await edit('days-90')).toEqual([303, now + 90 * day]);
    expect(await edit('keep', { name: 'Other' })).toEqual([303, now + 90 * day]);
    expect(await edit('date', { expiryDate: '2020-01-01' })).toEqual([422, now + 90 * day]);
    expect(await edit('never')).toEqual([303, undefined]);
  });
});
