import { describe, expect, it } from 'vitest';
import { createPortalWorld } from './portal-world.ts';

describe('one secret', () => {
  it('is disabled and enabled again, and the others stay as they are', async () => {
    const world = await createPortalWorld();
    const { management, clientId, secretId, get, post } = world;
    const { secret: other } = await management.createClientSecret(clientId, { name: 'other' });
    const find = async () => (await management.findClient(clientId)).secrets;
    const address = `/clients/${clientId}/secrets/${secretId}`;

    // Stopping wins: the form is from before the other secret was created.
    const disabled = await post(`${address}/disable`, { ifVersion: '1' });
    expect(disabled.headers.get('location')).toBe(`/clients/${clientId}?done=secret-disabled`);
    expect((await find()).map((one) => [one.secretId, one.enabled])).toEqual(
      expect.arrayContaining([
        [secretId, false],
        [other.secretId, true],
      ]),
    );
    const page = await (await get(disabled.headers.get('location') ?? '')).text();
    expect(page).toContain('Disabled. The others of the client still work.');
    expect(page).toContain(`action="${address}/enable"`);
    expect(page).toContain(`action="/clients/${clientId}/secrets/${other.secretId}/disable"`);

    const refused = await post(`${address}/enable`, { ifVersion: '1' });
    expect(refused.status).toBe(409);
    const { version } = await management.findClient(clientId);
    const enabled = await post(`${address}/enable`, { ifVersion: String(version) });
    expect(enabled.headers.get('location')).toBe(`/clients/${clientId}?done=secret-enabled`);
    expect((await find()).map((one) => one.enabled)).toEqual([true, true]);
  });

  it('is not counted among those that work, and is not urgent', async () => {
    const world = await createPortalWorld();
    const { management, clientId, secretId, get } = world;
    await management.updateClientSecret(clientId, secretId, { expiresAt: world.now + 86_400 });
    expect(await (await get('/')).text()).toContain('<h1>Needs attention</h1>');
    await management.disableClientSecret(clientId, secretId);
    expect(await (await get('/')).text()).toContain('<h1>Nothing needs attention</h1>');
    expect(await (await get('/clients')).text()).toContain('<span class="muted">None</span>');
    expect(await (await get(`/clients/${clientId}/secrets/${secretId}/delete`)).text()).toContain(
      'It is disabled and does not work at present.',
    );
  });
});
