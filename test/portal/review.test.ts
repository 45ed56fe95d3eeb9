import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTestKey } from '../../lab/support/test-issuer.ts';
import { routes } from '../../portal/routes.ts';
import { createPortalWorld, formOf, type PortalWorld, pathOf } from './portal-world.ts';

const publicKey = JSON.stringify(createTestKey('ES256').jwk);

/** The forms of what exists: each has the version that it was made from. */
const forms: readonly (readonly [path: string, form: Readonly<Record<string, string>>])[] = [
  ['/clients/:clientId', { name: 'Mine', scopes: 'calls:view', tokenLifetime: '1h' }],
  ['/clients/:clientId/enable', {}],
  ['/clients/:clientId/delete', {}],
  ['/clients/:clientId/secrets/rotate', { overlap: '1d' }],
  ['/clients/:clientId/keys/rotate', { overlap: '1d', publicKey }],
  ['/clients/:clientId/secrets/:secretId', { name: 'Mine', expiry: 'keep' }],
  ['/clients/:clientId/secrets/:secretId/enable', {}],
  ['/clients/:clientId/secrets/:secretId/delete', {}],
  ['/api-keys/:keyId', { name: 'Mine' }],
  ['/api-keys/:keyId/rotate', { overlap: '1d' }],
  ['/api-keys/:keyId/enable', {}],
  ['/api-keys/:keyId/delete', {}],
  ['/api-keys/:keyId/subnets', { name: 'x', address: '10.0.0.0/8' }],
  ['/api-keys/:keyId/subnets/:subnetId/remove', {}],
];

async function changeElsewhere({ management, clientId, secretId, keyId }: PortalWorld) {
  await management.updateClient(clientId, { name: 'Changed by another' });
  await management.disableClientSecret(clientId, secretId);
  await management.setClientEnabled(clientId, false);
  await management.setApiKeyEnabled(keyId, false);
  await management.updateApiKey(keyId, { name: 'Changed by another' });
}

describe('a form that is refused because another person was faster', () => {
  it.each(forms)('says so in its title and first of all: %s', async (path, form) => {
    const world = await createPortalWorld();
    await changeElsewhere(world);
    const response = await world.post(pathOf(world, path), { ...formOf(world), ...form });
    const text = await response.text();
    expect(response.status).toBe(409);
    expect(text).toMatch(/<title>Error: [^<]+<\/title>/);
    // A browser gives it the focus, also without script, and a screen reader announces it.
    expect(text).toMatch(/role="alert" tabindex="-1" autofocus aria-labelledby="summary-title"/);
    expect(text).toContain('This was changed since you opened the form.');
    expect(text.match(/\bautofocus\b/g)).toHaveLength(1);
  });

  it('is every form with a version', () => {
    const withVersion = routes.filter(
      ({ method, path }) =>
        method === 'POST' &&
        /:(?:clientId|keyId)/.test(path) &&
        // These only stop something, or create.
        !/\/(?:disable|revoke-tokens|secrets|keys)$/.test(path),
    );
    expect(withVersion.map(({ path }) => path).toSorted()).toEqual(
      forms.map(([path]) => path).toSorted(),
    );
  });
});

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
