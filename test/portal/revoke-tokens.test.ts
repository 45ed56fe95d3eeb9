import { expect, it } from 'vitest';
import { createPortalWorld } from './portal-world.ts';

it('shows no revocation of a client that was just created', async () => {
  const world = await createPortalWorld();
  const form = { serviceTrunkGroup: 'tg-1001', name: 'New', scopes: 'messaging:view' };
  const requestId = 'a-form-that-was-sent-once';
  const created = await world.post('/clients', { ...form, requestId, tokenLifetime: '1h' });
  expect(created.status).toBe(303);
  const location = created.headers.get('location') ?? '';
  expect(
    (await world.management.findClient(location.split(/[/?]/)[2] ?? '')).tokensNotBefore,
  ).toBeGreaterThan(0);
  expect(await (await world.get(location)).text()).not.toMatch(/Tokens (revoked|refused)/);
});

it('revokes the tokens of a client after a confirmation, and shows from when tokens count', async () => {
  const world = await createPortalWorld();
  const path = `/clients/${world.clientId}/revoke-tokens`;
  const before = await world.management.findClient(world.clientId);
  const page = await (await world.get(path)).text();
  expect(page).toContain('Platform APIs that look up clients refuse every token');
  const form = { ifVersion: String(before.version) };
  const response = await world.post(path, form);
  expect(response.status).toBe(303);
  const after = await world.management.findClient(world.clientId);
  expect(after.tokensNotBefore).toBeGreaterThan(0);
  const details = await (await world.get(response.headers.get('location') ?? '')).text();
  expect(details).toContain('The tokens of the client were revoked. New ones are accepted.');
  expect(details).toContain('<dt>Tokens revoked</dt>');
});
