import { describe, expect, it } from 'vitest';
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
