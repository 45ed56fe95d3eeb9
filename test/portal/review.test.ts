import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createPortalWorld, pathOf } from './portal-world.ts';

describe('a form with a wrong value', () => {
  it('has the name of each field in its summary, with a link to the field', async () => {
    const { post } = await createPortalWorld();
    const response = await post('/clients', { tokenLifetime: 'a while', audiences: 'no url' });
    const text = await response.text();
    expect(response.status).toBe(422);
    expect(text).toMatch(/<title>Error: New client/);
    for (const [field, label] of [
      ['name', 'Name'],
      ['serviceTrunkGroup', 'Service trunk group'],
      ['scopes', 'Scopes'],
      ['tokenLifetime', 'Token lifetime'],
      ['audiences', 'Audiences'],
    ]) {
      expect(text).toContain(`<a href="#f-${field}">${label}</a>`);
      expect(text).toContain(`id="f-${field}"`);
    }
  });
});

describe('the expiry of a secret', () => {
  it('is a date that is shown, not only a tooltip', async () => {
    const world = await createPortalWorld();
    const { management, clientId, secretId } = world;
    const expiresAt = Date.parse('2027-03-31T00:00:00Z') / 1000;
    await management.updateClientSecret(clientId, secretId, { expiresAt });
    const page = await (await world.get(`/clients/${clientId}`)).text();
    expect(page).toMatch(/<time [^>]*>2027-03-31 UTC<\/time>/);
    const edit = await world.get(`/clients/${clientId}/secrets/${secretId}/edit`);
    expect(await edit.text()).toContain('As it is: 2027-03-31 00:00 UTC');
  });
});

describe('a date without a time', () => {
  it('is the end of that day in UTC, so “tomorrow” in Denver at 20:30 is allowed', async () => {
    const world = await createPortalWorld();
    world.now = Date.parse('2026-11-23T03:30:00Z') / 1000;
    const path = `/clients/${world.clientId}/secrets`;
    expect(await (await world.get(`${path}/new`)).text()).toMatch(/until\s+23:59 UTC/);
    const form = { expiry: 'date', expiryDate: '2026-11-23', requestId: 'request-1' };
    expect((await world.post(path, form)).status).toBe(200);
    const { secrets } = await world.management.findClient(world.clientId);
    expect(secrets.at(-1)?.expiresAt).toBe(Date.parse('2026-11-23T23:59:59Z') / 1000);
  });
});

describe('what a page says about tokens', () => {
  it('is never that they cannot be revoked', async () => {
    const world = await createPortalWorld();
    for (const path of [
      '/clients/new?trunkGroup=tg-1001',
      '/clients/:clientId',
      '/clients/:clientId/edit',
    ]) {
      const text = await (await world.get(pathOf(world, path))).text();
      expect(text).not.toMatch(/cannot be revoked/i);
      expect(text).toMatch(/Platform APIs that look up clients refuse/);
    }
  });
});

/** The rules of the style sheet for one kind of medium. */
function rulesFor(medium: string): string {
  const style = readFileSync(new URL('../../portal/assets/portal.css', import.meta.url), 'utf8');
  const start = style.indexOf(`@media ${medium} {`);
  expect(start).toBeGreaterThan(-1);
  return style.slice(start);
}

describe('a page on paper', () => {
  it('is light, without navigation and buttons, and with the details that are closed', () => {
    const rules = rulesFor('print');
    expect(rules).toMatch(/color-scheme: light;/);
    const hidden = rules.slice(0, rules.indexOf('display: none'));
    for (const part of ['.sidebar', '.skip', '.actions', '.row-actions', '.filters', '.copy']) {
      expect(hidden).toContain(part);
    }
    expect(rules).toMatch(/\.table \{\s*overflow: visible;/);
  });
});
