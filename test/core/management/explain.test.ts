import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../../core/management/api-keys.ts';
import { setClientEnabled } from '../../../core/management/change-client.ts';
import { createClientSecret } from '../../../core/management/client-secrets.ts';
import { createClient } from '../../../core/management/create-client.ts';
import { explainRequest } from '../../../core/management/explain-request.ts';
import { explainToken } from '../../../core/management/explain-token.ts';
import { createTestManagement, type TestManagement } from '../../support/management.ts';
import { makeSigningKey } from '../../support/signing-keys.ts';
import { createTestKey, signToken } from '../../support/test-issuer.ts';

const issuer = 'https://auth.example.com';

async function withClient(): Promise<TestManagement & { readonly clientId: string }> {
  const test = createTestManagement();
  test.signingKeys.push({ ...makeSigningKey('ES256').key, regionId: 'slc', state: 'current' });
  const { client } = await createClient(test.context, {
    name: 'Billing',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['messaging:view'],
  });
  return Object.assign(test, { clientId: client.clientId });
}

describe('explaining a token request', () => {
  it('that is granted shows every step and the claims', async () => {
    const { context, clientId } = await withClient();
    const { secret } = await createClientSecret(context, clientId, {});
    const explanation = await explainToken(context, { clientId });
    expect(explanation.granted).toBe(true);
    expect(explanation.steps.map(({ step, outcome }) => `${step}: ${outcome}`)).toEqual([
      'scope parameter: passed',
      'resource parameter: passed',
      'client authentication: passed',
      'scopes: passed',
      'audience: passed',
      'claims: passed',
      'signing key: passed',
    ]);
    expect(explanation.steps[2]?.detail).toBe(`${secret.secretId}: good`);
    expect(explanation.claims).toEqual({
      iss: issuer,
      sub: clientId,
      aud: 'https://api.example.com',
      client_id: clientId,
      iat: 1_800_000_000,
      exp: 1_800_003_600,
      scope: 'messaging:view',
      service_trunk_group: 'tg-1001',
    });
  });

  it.each<
    [string, object, (test: TestManagement & { clientId: string }) => unknown, string, string]
  >([
    ['a malformed scope', { scope: 'a  b' }, () => {}, 'scope parameter', 'scope_syntax'],
    ['a relative resource', { resource: '/a' }, () => {}, 'resource parameter', 'resource_syntax'],
    [
      'an unknown client',
      { clientId: 'client_0000000000000000000000' },
      () => {},
      'client authentication',
      'unknown_client',
    ],
    [
      'no secret',
      {},
      ({ clients, clientId }) => clients.set(clientId, { ...clients.get(clientId)!, secrets: [] }),
      'client authentication',
      'no_secret',
    ],
    [
      'a disabled client',
      {},
      ({ context, clientId }) => setClientEnabled(context, clientId, false),
      'client authentication',
      'client_disabled',
    ],
    [
      'expired secrets alone',
      {},
      (test) => {
        test.now += 3600;
      },
      'client authentication',
      'secret_expired',
    ],
    [
      "a provider's client",
      {},
      ({ clients, clientId }) =>
        clients.set(clientId, {
          ...clients.get(clientId)!,
          provider: { issuer: 'https://i.example', registrationId: 'r', externalClientId: 'e' },
        }),
      'client authentication',
      'provider_client',
    ],
    ['a scope too many', { scope: 'calls:view' }, () => {}, 'scopes', 'scope_not_granted'],
    [
      'a foreign resource',
      { resource: 'https://other.example' },
      () => {},
      'audience',
      'resource_not_allowed',
    ],
    [
      'no signing key',
      {},
      ({ signingKeys }) => signingKeys.splice(0),
      'signing key',
      'no_signing_key',
    ],
  ])(
    'that is refused for %s ends at the step that refuses',
    async (_, question, prepare, step, reason) => {
      const test = await withClient();
      const { clientId } = test;
      await createClientSecret(test.context, clientId, { expiresAt: test.now + 3600 });
      await prepare(test);
      const explanation = await explainToken(test.context, { clientId, ...question });
      expect(explanation).toMatchObject({ granted: false, reason });
      expect(explanation.steps.at(-1)).toMatchObject({ step, outcome: 'refused' });
      expect(explanation.steps.slice(0, -1).every(({ outcome }) => outcome === 'passed')).toBe(
        true,
      );
    },
  );

  it('says what the client has where it asked for more', async () => {
    const { context, clientId } = await withClient();
    await createClientSecret(context, clientId, {});
    const { steps } = await explainToken(context, { clientId, scope: 'calls:view' });
    expect(steps.at(-1)?.detail).toBe('the client has messaging:view');
  });
});

describe('explaining a bearer credential', () => {
  const key = createTestKey('ES256');
  const claims = (test: TestManagement) => ({
    iss: issuer,
    sub: 'client_1',
    aud: 'https://api.example.com',
    client_id: 'client_1',
    iat: test.now,
    exp: test.now + 600,
    jti: 'jti',
    scope: 'messaging:view',
    service_trunk_group: 'tg',
  });

  function withKey(): TestManagement {
    const test = createTestManagement();
    const { key: stored } = makeSigningKey('ES256');
    test.signingKeys.push({ ...stored, kid: key.kid, publicJwk: key.jwk, state: 'current' });
    return test;
  }

  it('accepts a token of this service under a published key', async () => {
    const test = withKey();
    const explanation = await explainRequest(test.context, {
      credential: signToken(key, claims(test)),
      scopes: ['messaging:view'],
    });
    expect(explanation).toMatchObject({ accepted: true, verified: { clientId: 'client_1' } });
  });

  it.each([
    ['a missing scope', {}, { scopes: ['calls:view'] }, 'insufficient_scope', 403],
    ['another audience', { aud: 'https://b' }, {}, 'token_audience_not_allowed', 401],
    ['its age', { exp: 1_800_000_000 - 11, iat: 1_799_999_000 }, {}, 'token_expired', 401],
    ['an issuer that is not registered', { iss: 'https://x.example' }, {}, 'issuer_unknown', 401],
  ])('refuses one for %s, and names the rule', async (_, different, question, reason, status) => {
    const test = withKey();
    const explanation = await explainRequest(test.context, {
      credential: signToken(key, { ...claims(test), ...different }),
      scopes: [],
      ...question,
    });
    expect(explanation).toMatchObject({ accepted: false, reason, status });
    expect(explanation.rule).toMatch(/\w{3}/);
  });

  it('refuses a token under a key that is withdrawn', async () => {
    const test = withKey();
    const [own] = test.signingKeys.splice(0);
    if (own === undefined) throw new Error('unreachable');
    test.signingKeys.push(makeSigningKey('ES256').key, { ...own, state: 'withdrawn' });
    const explanation = await explainRequest(test.context, {
      credential: signToken(key, claims(test)),
      scopes: [],
    });
    expect(explanation.reason).toBe('token_key_unknown');
  });

  it('takes the issuer of a deployment without a domain from the question', async () => {
    const test = withKey();
    const { issuer: _, domain: __, ...config } = test.context.config;
    const ask = (named?: string) =>
      explainRequest(
        { ...test.context, config },
        { credential: signToken(key, claims(test)), scopes: [], issuer: named },
      );
    expect(await ask(issuer)).toMatchObject({ accepted: true });
    await expect(ask()).rejects.toThrow('issuer: received nothing');
  });

  it('tells an API key and its sources', async () => {
    const { context } = createTestManagement();
    const { key: apiKey, value } = await createApiKey(context, {
      name: 'Ada',
      serviceTrunkGroup: 'tg-1001',
      subnets: [{ name: 'office', address: '203.0.113.0/24' }],
    });
    const ask = (sourceAddress: string) =>
      explainRequest(context, { credential: value ?? '', sourceAddress, scopes: ['calls:view'] });
    expect(await ask('203.0.113.9')).toMatchObject({
      accepted: true,
      verified: { credential: 'api_key', keyId: apiKey.keyId },
    });
    expect(await ask('198.51.100.1')).toMatchObject({
      accepted: false,
      reason: 'api_key_source_refused',
      facts: { keyId: apiKey.keyId },
      error: 'invalid_token',
    });
  });
});
