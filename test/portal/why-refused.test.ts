import { describe, expect, it } from 'vitest';
import { bindManagement } from '../../adapters/management.ts';
import { assertionWarning } from '../../contract/management/field-words.ts';
import { signToken } from '../../lab/support/test-issuer.ts';
import {
  createProvider,
  createProviderClient,
  providerIssuer,
  providerKey,
} from '../../lab/support/verifier-world.ts';
import { createTestManagement, testConfig } from '../support/management.ts';
import { createPortalWorld } from './portal-world.ts';

const ids = {
  client: `client_${'a'.repeat(22)}`,
  secret: `secret_${'a'.repeat(22)}`,
  key: `key_${'a'.repeat(22)}`,
};

describe('what is often pasted in place of a credential', () => {
  it.each([
    ['a client secret', `cs_${'a'.repeat(49)}`, 'This is a client secret, not an access token'],
    ['a client secret after Bearer', `Bearer cs_${'a'.repeat(49)}`, 'This is a client secret'],
    ['a client id', ids.client, 'This is the id of a client'],
    ['a secret id', ids.secret, 'This is the id of a secret'],
    ['a key id', ids.key, 'This is the id of an API key'],
    ['a Basic header', 'Authorization: Basic YTpi', 'for the token endpoint'],
    ['a token response', '{"access_token":"eyJ"}', 'Paste only the value of access_token'],
  ])('is named: %s', async (_, credential, message) => {
    const { post } = await createPortalWorld();
    const response = await post('/explain/credential', { credential });
    const text = await response.text();
    expect(response.status).toBe(422);
    expect(text).toContain(message);
    expect(text).toContain('id="f-credential-error"');
    const value = credential.replace(/^(?:Bearer|Authorization: Basic) /, '');
    if (!Object.values(ids).includes(credential)) expect(text).not.toContain(value);
  });

  it('is “Bearer ” in front of it, which is left out', async () => {
    const { post, management } = await createPortalWorld();
    const { value = '', key } = await management.createApiKey({
      name: 'Grace',
      serviceTrunkGroup: 'tg-1001',
    });
    for (const credential of [`Bearer ${value}`, `authorization: bearer ${value}\n`]) {
      const text = await (await post('/explain/credential', { credential })).text();
      expect(text).toContain('It is accepted.');
      expect(text).toContain('“Bearer ” in front of it was left out');
      expect(text).toContain(`<a href="/api-keys/${key.keyId}">`);
      expect(text).not.toContain(value);
    }
  });

  it('is a secret in place of a client id, which no page repeats', async () => {
    const { get } = await createPortalWorld();
    const secret = `cs_${'b'.repeat(49)}`;
    const response = await get(`/explain?clientId=${secret}`);
    const text = await response.text();
    expect(response.status).toBe(422);
    expect(text).toContain('replace it');
    expect(text).not.toContain(secret);
  });
});

it('links to what it found', async () => {
  const { post, management } = await createPortalWorld();
  const { value = '', key } = await management.createApiKey({
    name: 'Grace',
    serviceTrunkGroup: 'tg-1001',
    enabled: false,
  });
  const text = await (await post('/explain/credential', { credential: value })).text();
  expect(text).toContain('It is refused.');
  expect(text).toContain(`<a href="/api-keys/${key.keyId}">`);
});

describe('an assertion', () => {
  const subject = 'system:serviceaccount:voice:dialer';
  const audience = 'https://other.example.com';

  async function createAssertionWorld() {
    const federatedClients = { maxAge: 3600, ownProviders: false };
    const test = createTestManagement({ config: { ...testConfig, federatedClients } });
    const provider = createProvider({ clientIdClaim: 'sub' });
    const at = { issuer: providerIssuer, registrationId: 'idp_1', externalClientId: subject };
    const client = createProviderClient({ provider: at, audiences: [audience] });
    test.providers.set(providerIssuer, provider);
    test.clients.set(client.clientId, client);
    test.documents.set(provider.jwksUri, { keys: [providerKey.jwk] });
    const portal = await createPortalWorld({ management: bindManagement(test.context) });
    const { now } = test;
    const times = { iat: now, exp: now + 600, jti: '1' };
    const sign = (aud = testConfig.issuer) =>
      signToken(providerKey, { iss: providerIssuer, sub: subject, aud, ...times }, { typ: 'JWT' });
    const ask = async (credential: string, assertion: string, more = {}) => {
      const form = { credential, assertion, ...more };
      const response = await portal.post('/explain/credential', form);
      return { status: response.status, text: await response.text() };
    };
    return { client, portal, sign, ask };
  }

  it('has a field for where it is sent, only if the deployment accepts assertions', async () => {
    const { portal } = await createAssertionWorld();
    expect(await (await portal.get('/explain')).text()).toContain('>Sent to</label>');
    const { context, get } = await createPortalWorld();
    // Clients of its own sign them, too.
    expect(context.config.clientKeys).toBeDefined();
    expect(await (await get('/explain')).text()).toContain('>Sent to</label>');
    Object.assign(context, { config: { ...context.config, clientKeys: undefined } });
    expect(await (await get('/explain')).text()).not.toContain('Sent to');
  });

  it('is explained as the token endpoint decides, and not shown again', async () => {
    const { client, sign, ask } = await createAssertionWorld();
    const good = sign();
    const accepted = await ask(good, 'jwt_bearer');
    expect(accepted.text).toContain('It is accepted.');
    expect(accepted.text).toContain(assertionWarning);
    expect(accepted.text).toContain(client.clientId);
    expect(accepted.text).toContain('<option value="jwt_bearer" selected>');
    expect(accepted.text).not.toContain(good);
    const toOther = await ask(good, 'jwt_bearer', { assertionClientId: ' client_other ' });
    expect(toOther.text).toContain('It is refused.');
    expect(toOther.text).toContain('and so does the client_id of the request');
    const toApi = await ask(good, '');
    expect(toApi.text).toContain('It is refused.');
    expect(toApi.text).not.toContain(assertionWarning);
    const toOtherApi = await ask(sign(audience), '', { audience: ` ${audience} ` });
    expect(toOtherApi.text).toContain('It is accepted.');
    const refused = await ask(sign('https://api.example.com'), 'client_assertion');
    expect(refused.text).toContain('It is refused.');
    expect(refused.text).toContain('aud is one value that names this service');
    expect(refused.text).toContain('client authentication failed');
  });

  it('is refused with a choice that the form does not have', async () => {
    const { sign, ask } = await createAssertionWorld();
    const { status, text } = await ask(sign(), 'basic');
    expect(status).toBe(422);
    expect(text).toContain('id="f-assertion-error"');
  });
});
