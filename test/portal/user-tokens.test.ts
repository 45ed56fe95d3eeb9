import { describe, expect, it } from 'vitest';
import { createTestKey } from '../../lab/support/test-issuer.ts';
import { createPortalWorld } from './portal-world.ts';

const auth0 = 'https://example.us.auth0.com';
const key = createTestKey('RS256').jwk;
const form = {
  name: 'ERP',
  serviceTrunkGroup: 'tg-1001',
  tokenLifetime: '1h',
  scopes: 'calls:view',
  provider: auth0,
  externalClientId: 'erp',
};

async function createAuth0World() {
  const world = await createPortalWorld();
  const url = `${auth0}/.well-known/openid-configuration`;
  world.documents.set(url, { issuer: auth0, jwks_uri: `${auth0}/jwks` });
  world.documents.set(`${auth0}/jwks`, { keys: [key] });
  await world.management.registerProvider(url);
  const create = async (more: Readonly<Record<string, string>>) => {
    const response = await world.post('/clients', { ...form, ...more });
    expect(response.status).toBe(303);
    const [client] = [...world.clients.values()].filter(({ name }) => name === form.name);
    return client?.provider?.conditions;
  };
  return { ...world, create };
}

describe('a new client under a known platform, in the portal', () => {
  it('refuses tokens of people', async () => {
    const { create } = await createAuth0World();
    expect(await create({})).toEqual([{ claim: 'sub', values: ['erp@clients'] }]);
  });

  it('accepts them if that is chosen, next to a warning', async () => {
    const { create, get } = await createAuth0World();
    const page = await (await get(`/clients/new?trunkGroup=tg-1001&provider=${auth0}`)).text();
    expect(page).toMatch(/name="allowUserTokens"(?! checked)/);
    expect(page).toContain('Warning: a token that the provider issues for a person');
    expect(await create({ allowUserTokens: 'on' })).toBeUndefined();
  });

  it('keeps the choice when the form is refused', async () => {
    const { post } = await createAuth0World();
    const page = await post('/clients', { ...form, name: '', allowUserTokens: 'on' });
    expect(await page.text()).toMatch(/name="allowUserTokens" value="on" checked/);
  });
});
