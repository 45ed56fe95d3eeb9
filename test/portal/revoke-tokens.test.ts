import { expect, it } from 'vitest';
import { createPortalWorld } from './portal-world.ts';

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
