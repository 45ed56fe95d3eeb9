import { describe, expect, it } from 'vitest';
import { InputError, RefusedError } from '../../../../core/errors.ts';
import { createTestKey } from '../../../../lab/support/test-issuer.ts';
import { createTestManagement } from '../../../support/management.ts';
import {
  createClient,
  inspectProvider,
  registerProvider,
  updateClient,
} from '../../../support/operations.ts';

const issuer = 'https://idp.example.net';
const pool = 'https://cognito-idp.us-west-2.amazonaws.com/us-west-2_EXAMPLE1';
const urlOf = (of: string) => `${of}/.well-known/openid-configuration`;
const { jwk } = createTestKey('RS256');

function createWorld(of = issuer) {
  const test = createTestManagement();
  test.documents.set(urlOf(of), { issuer: of, jwks_uri: `${of}/jwks` });
  test.documents.set(`${of}/jwks`, { keys: [jwk] });
  return test;
}

const refusalOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe('the claim that names the client', () => {
  it.each(['client_id', 'azp', 'sub', 'appid', 'cid'])('may be %s', async (clientIdClaim) => {
    const test = createWorld();
    const { provider } = await registerProvider(test.context, urlOf(issuer), { clientIdClaim });
    expect(provider).toMatchObject({ clientIdClaim });
    expect(test.audit.at(-1)?.after).toMatchObject({ client_id_claim: clientIdClaim });
  });

  it('is not stored if none was chosen', async () => {
    const { context, providers } = createWorld();
    await registerProvider(context, urlOf(issuer));
    expect(providers.get(issuer)).not.toHaveProperty('clientIdClaim', expect.anything());
  });

  it.each(['email', 'preferred_username', 'name', 'upn', 'https://example.com/client'])(
    'is not %s without a confirmation, as users of the provider may write it',
    async (clientIdClaim) => {
      const { context, providers } = createWorld();
      const refusal = await refusalOf(registerProvider(context, urlOf(issuer), { clientIdClaim }));
      expect(refusal).toBeInstanceOf(RefusedError);
      expect(String(refusal)).toContain('each of them can call as any client');
      expect(providers.size).toBe(0);
      const inspected = await inspectProvider(context, urlOf(issuer), { clientIdClaim });
      expect(inspected).toMatchObject({ registrable: false });
      const choices = { clientIdClaim, allowUserWritableClaim: true };
      const { provider } = await registerProvider(context, urlOf(issuer), choices);
      expect(provider).toMatchObject({ clientIdClaim });
    },
  );

  it.each(['aud', 'iss', 'jti', 'scope', '', 'a b', 'ä', 'x'.repeat(129), 1, null])(
    'is never %j',
    async (clientIdClaim) => {
      const { context } = createWorld();
      const choices = { clientIdClaim: clientIdClaim as string, allowUserWritableClaim: true };
      const refusal = await refusalOf(registerProvider(context, urlOf(issuer), choices));
      expect(refusal).toBeInstanceOf(InputError);
      expect(refusal).toMatchObject({ field: 'clientIdClaim' });
    },
  );
});

describe('a user pool of Amazon Cognito', () => {
  it('needs a choice, as its access tokens have no aud', async () => {
    const { context, providers } = createWorld(pool);
    const refusal = await refusalOf(registerProvider(context, urlOf(pool)));
    expect(refusal).toMatchObject({ name: 'InputError', field: 'audienceFrom' });
    expect(String(refusal)).toContain('access tokens of Amazon Cognito have no aud');
    expect(providers.size).toBe(0);
    expect(await inspectProvider(context, urlOf(pool))).toMatchObject({
      registrable: false,
      problem: expect.stringContaining('have no aud'),
    });
  });

  it.each([
    ['scope', 'scope'],
    ['aud', undefined],
  ] as const)('can be registered with %s', async (audienceFrom, stored) => {
    const { context } = createWorld(pool);
    const { provider } = await registerProvider(context, urlOf(pool), { audienceFrom });
    expect(provider.audienceFrom).toBe(stored);
  });

  it.each(['https://cognito-idp.us-west-2.amazonaws.com.evil.example', issuer])(
    'is not %s',
    async (other) => {
      const { context } = createWorld(other);
      expect(await registerProvider(context, urlOf(other))).toMatchObject({});
    },
  );

  it.each(['', 'azp', 1])('has no audience from %j', async (source) => {
    const { context } = createWorld(pool);
    const choices = { audienceFrom: source as 'scope' };
    const refusal = await refusalOf(registerProvider(context, urlOf(pool), choices));
    expect(String(refusal)).toContain('allowed: aud or scope');
  });
});

describe('the audiences of a client under a provider', () => {
  const input = { name: 'ERP', serviceTrunkGroup: 'tg-1', scopes: ['calls:view'] };
  const under = { ...input, provider: issuer, externalClientId: 'erp' };

  async function createRegistered() {
    const test = createWorld();
    await registerProvider(test.context, urlOf(issuer));
    return test;
  }

  it.each([
    '0d6a2c1e-2d4a-4f7c-9a5c-4f8d6f0d7b11',
    'account',
    'sts.amazonaws.com',
    'my api',
    'Zürich',
    'urn:example:api',
    'spiffe://example.org/api',
    'api://0d6a2c1e',
    'https://api.example.com/#part',
  ])('may be %j (RFC 7519 §2)', async (audience) => {
    const { context } = await createRegistered();
    const { client } = await createClient(context, { ...under, audiences: [audience] });
    expect(client.audiences).toEqual([audience]);
    const changed = await updateClient(context, client.clientId, { audiences: [audience, 'b'] });
    expect(changed.audiences).toEqual([audience, 'b']);
  });

  it.each(['', ' a', 'a\nb', 'a: b', '1:2', ':x', 'x'.repeat(257), '\u202eapi', 'erp', 1])(
    'are never %j',
    async (audience) => {
      const { context, clients } = await createRegistered();
      const refused = createClient(context, { ...under, audiences: [audience as string] });
      expect(await refusalOf(refused)).toMatchObject({ name: 'InputError', field: 'audiences' });
      expect(clients.size).toBe(0);
    },
  );

  it('stay absolute URIs for a client of this service', async () => {
    const { context } = await createRegistered();
    const refused = createClient(context, { ...input, audiences: ['account'] });
    expect(String(await refusalOf(refused))).toContain('an absolute URI without fragment');
    const { client } = await createClient(context, input);
    const change = updateClient(context, client.clientId, { audiences: ['account'] });
    expect(String(await refusalOf(change))).toContain('an absolute URI without fragment');
  });
});
