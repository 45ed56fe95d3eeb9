import { describe, expect, it } from 'vitest';
import { maxKeyIdLength } from '../../../contract/bounds.ts';
import { algs } from '../../../contract/signing-algorithms.ts';
import { formatApiKeyValue } from '../../../core/credential/credential-value.ts';
import type { IdentityProvider } from '../../../core/identity-provider/identity-provider.ts';
import type { RequestFinding } from '../../../core/management/explain-request.ts';
import { makeSigningKey } from '../../../lab/support/signing-keys.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { createTestManagement, type TestManagement } from '../../support/management.ts';
import {
  createApiKey,
  createClient,
  createClientSecret,
  disableClientSecret,
  explainRequest,
  explainToken,
  setClientEnabled,
} from '../../support/operations.ts';

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
      'limits of the client: passed',
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

  it.each([
    ['required', 'the request also needs a DPoP proof, and the token is bound to its key; ES256'],
    ['allowed', 'with a DPoP proof, the token is bound to its key; ES256'],
  ] as const)('for an audience with proofs says so: %s', async (mode, detail) => {
    const { context, clientId } = await withClient();
    await createClientSecret(context, clientId, {});
    const dpop = { audiences: { 'https://api.example.com': mode }, algorithms: ['ES256' as const] };
    const bound = { ...context, config: { ...context.config, dpop } };
    const { granted, steps } = await explainToken(bound, { clientId });
    expect(granted).toBe(true);
    expect(steps).toContainEqual({ step: 'proof of a key', outcome: 'passed', detail });
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
      'only expired secrets',
      {},
      (test) => {
        test.now += 3600;
      },
      'client authentication',
      'secret_expired',
    ],
    [
      'only disabled secrets',
      {},
      async ({ context, clients, clientId }) => {
        for (const { secretId } of clients.get(clientId)?.secrets ?? []) {
          await disableClientSecret(context, clientId, secretId);
        }
      },
      'client authentication',
      'secret_disabled',
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
    [
      'a secret where only keys count',
      {},
      ({ context }) =>
        Object.assign(context, { config: { ...context.config, clientKeys: { only: true } } }),
      'client authentication',
      'keys_only',
    ],
    [
      'a key where no keys count',
      {},
      ({ clients, clientId }) =>
        clients.set(clientId, {
          ...clients.get(clientId)!,
          secrets: [{ secretId: 'secret_1', createdAt: 1, publicKey: 'x.y', alg: 'ES256' }],
        }),
      'client authentication',
      'authentication_method',
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
      expect(explanation).toMatchObject({
        granted: false,
        reason,
        remedy: expect.stringMatching(/^[^[\]]+$/),
      });
      expect(explanation.steps.at(-1)).toMatchObject({ step, outcome: 'refused' });
      expect(explanation.steps.slice(0, -1).every(({ outcome }) => outcome === 'passed')).toBe(
        true,
      );
    },
  );

  it.each([
    [{ selfTestProblem: 'denied' }, false],
    [{ selfTestProblem: 'denied', at: 1_799_999_399 }, true],
    [{ problem: 'denied' }, true],
  ])('shows the staff, and no customer, the last run of the canary: %o', async (run, granted) => {
    const { context, clientId } = await withClient();
    await createClientSecret(context, clientId, {});
    const listCanaryRuns = async () => [{ regionId: 'slc', at: 1_800_000_000, ...run } as const];
    const ask = async (caller: object) =>
      explainToken({ ...context, listCanaryRuns, ...caller }, { clientId });
    const [staff, customer] = [await ask({}), await ask({ trunkGroups: ['tg-1001'] })];
    expect([staff.granted, customer.granted]).toEqual([granted, true]);
    expect(JSON.stringify(staff)).toContain('denied');
    expect(JSON.stringify(customer)).not.toMatch(/denied| ago/);
  });

  it('says what the client has if it asked for more', async () => {
    const { context, clientId } = await withClient();
    await createClientSecret(context, clientId, {});
    const { steps } = await explainToken(context, { clientId, scope: 'calls:view' });
    expect(steps.at(-1)?.detail).toBe('the client has messaging:view');
  });
});

/** What differs from a token and a question that are accepted. */
interface Different {
  readonly claims?: object;
  readonly header?: object;
  readonly question?: object;
}

describe('explaining a bearer credential', () => {
  const key = createTestKey('ES256');
  const claimsOf = (test: TestManagement) => ({
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
      credential: signToken(key, claimsOf(test)),
      scopes: ['messaging:view'],
    });
    expect(explanation).toMatchObject({ accepted: true, verified: { clientId: 'client_1' } });
  });

  const long = 'k'.repeat(2000);

  it.each<[string, Different, RequestFinding]>([
    [
      'its audience',
      { claims: { aud: 'https://b.example' } },
      { name: 'aud', received: ['https://b.example'], expected: 'https://api.example.com' },
    ],
    [
      'a missing scope',
      { question: { scopes: ['calls:view'] } },
      { name: 'scope', received: 'messaging:view', expected: 'calls:view' },
    ],
    [
      'its age',
      { claims: { exp: 1_799_999_990, iat: 1_799_999_000 } },
      {
        name: 'exp',
        received: '1799999990 (2027-01-15T07:59:50Z)',
        expected: 'later than 1799999990 (2027-01-15T07:59:50Z)',
      },
    ],
    [
      'its youth',
      { claims: { nbf: 1_800_000_011, exp: 1_800_000_600 } },
      {
        name: 'nbf',
        received: '1800000011 (2027-01-15T08:00:11Z)',
        expected: 'at most 1800000010 (2027-01-15T08:00:10Z)',
      },
    ],
    [
      'an issue time to come',
      { claims: { iat: 1_800_000_011 } },
      {
        name: 'iat',
        received: '1800000011 (2027-01-15T08:00:11Z)',
        expected: 'at most 1800000010 (2027-01-15T08:00:10Z)',
      },
    ],
    [
      'its long life',
      { claims: { exp: 1_800_086_401 } },
      {
        name: 'exp',
        received: '1800086401 (2027-01-16T08:00:01Z)',
        expected: 'at most 1800086400 (2027-01-16T08:00:00Z)',
      },
    ],
    [
      'a claim that is missing',
      { claims: { jti: undefined } },
      { name: 'jti', received: undefined, expected: 'a text' },
    ],
    [
      'a claim of the wrong type',
      { claims: { exp: '1800000600' } },
      { name: 'exp', received: '1800000600', expected: 'whole seconds since 1970' },
    ],
    [
      'a token without iat',
      { claims: { iat: undefined } },
      { name: 'iat', received: undefined, expected: 'whole seconds since 1970' },
    ],
    [
      'scopes that are no text',
      { claims: { scope: ['messaging:view'] } },
      { name: 'scope', received: ['messaging:view'], expected: 'a text' },
    ],
    [
      'invalid audiences',
      { claims: { aud: 7 } },
      { name: 'aud', received: 7, expected: 'a text, or an array of texts' },
    ],
    ['its type', { header: { typ: 'JWT' } }, { name: 'typ', received: 'JWT', expected: 'at+jwt' }],
    [
      'its algorithm',
      { header: { alg: 'none' } },
      { name: 'alg', received: 'none', expected: algs.join(', ') },
    ],
    [
      "the algorithm of another key than the token's",
      { header: { alg: 'RS256' } },
      { name: 'alg', received: 'RS256', expected: `ES256, the algorithm of the key ${key.kid}` },
    ],
    [
      'a critical header',
      { header: { crit: ['exp'] } },
      { name: 'crit', received: ['exp'], expected: 'none' },
    ],
    [
      'a kid that is too long',
      { header: { kid: long } },
      { name: 'kid', received: long, expected: `a text of 1 to ${maxKeyIdLength} characters` },
    ],
    [
      'its key',
      { header: { kid: 'other' } },
      { name: 'kid', received: 'other', expected: `a key in the key set of ${issuer}` },
    ],
    [
      'its issuer',
      { claims: { iss: `${issuer}/` } },
      {
        name: 'iss',
        received: `${issuer}/`,
        expected: `${issuer}, or the issuer of a registered provider, character by character`,
      },
    ],
  ])('shows the value that refuses a token for %s, and names the rule', async (...row) => {
    const [, { claims, header, question }, finding] = row;
    const test = withKey();
    const explanation = await explainRequest(test.context, {
      credential: signToken(key, { ...claimsOf(test), ...claims }, { ...header }),
      scopes: [],
      ...question,
    });
    expect(explanation.accepted).toBe(false);
    expect(explanation.finding).toEqual(finding);
    expect(explanation.rule).toMatch(/\w{3}/);
  });

  it.each<[string, (token: string) => string, RequestFinding]>([
    [
      'a signature of other bytes',
      (token) => token.replace(/[^.]+$/, Buffer.alloc(64, 1).toString('base64url')),
      { name: 'kid', received: key.kid, expected: 'the key that made the signature' },
    ],
    [
      'two parts',
      (token) => token.replace(/\.[^.]+$/, ''),
      { name: 'number of parts', received: 2, expected: '3: header, payload and signature' },
    ],
    [
      'a payload that is no JSON',
      (token) => token.replace(/\..*\./, '.AAAA.'),
      {
        name: 'payload',
        received: 'another form',
        expected: 'a JSON object in UTF-8 without repeated members',
      },
    ],
    [
      'a signature with padding',
      (token) => `${token}=`,
      { name: 'signature', received: 'another form', expected: 'canonical base64url' },
    ],
    [
      'its length',
      (token) => `${token}${'A'.repeat(20_000)}`,
      { name: 'length', received: expect.any(Number), expected: expect.stringMatching(/^at most/) },
    ],
  ])(
    'shows what refuses a token for %s, and none of the credential',
    async (_, change, finding) => {
      const test = withKey();
      const credential = change(signToken(key, claimsOf(test)));
      const explanation = await explainRequest(test.context, { credential });
      expect(explanation.finding).toEqual(finding);
      const parts = credential.split('.').filter((part) => part.length > 10);
      for (const part of parts) expect(JSON.stringify(explanation)).not.toContain(part);
    },
  );

  it('hints at a registered issuer with a slash more or less', async () => {
    const test = withKey();
    const registered = 'https://idp.example.net/';
    test.providers.set(registered, { issuer: registered } as IdentityProvider);
    const credential = signToken(key, { ...claimsOf(test), iss: 'https://idp.example.net' });
    expect((await explainRequest(test.context, { credential })).finding?.hint).toBe(
      'registered is "https://idp.example.net/", with a slash at the end',
    );
  });

  it('refuses a token under a key that is withdrawn', async () => {
    const test = withKey();
    const [own] = test.signingKeys.splice(0);
    if (own === undefined) throw new Error('unreachable');
    test.signingKeys.push(makeSigningKey('ES256').key, { ...own, state: 'withdrawn' });
    const explanation = await explainRequest(test.context, {
      credential: signToken(key, claimsOf(test)),
      scopes: [],
    });
    expect(explanation).toMatchObject({
      reason: 'token_key_unknown',
      status: 401,
      remedy: expect.stringContaining('Get a new token.'),
    });
  });

  it('takes the issuer of a deployment without a domain from the question', async () => {
    const test = withKey();
    const { issuer: _, domain: __, ...config } = test.context.config;
    const ask = (named?: string) =>
      explainRequest(
        { ...test.context, config },
        { credential: signToken(key, claimsOf(test)), scopes: [], issuer: named },
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
      finding: { name: 'source address', received: '198.51.100.1', expected: '203.0.113.0/24' },
      error: 'invalid_token',
    });
  });

  it('shows nothing of a record that is out of reach, and never the value of a key', async () => {
    const { context } = createTestManagement();
    const { key: apiKey, value = '' } = await createApiKey(context, {
      name: 'Ada',
      serviceTrunkGroup: 'tg-1001',
      subnets: [{ name: 'office', address: '203.0.113.0/24' }],
    });
    const limited = { ...context, trunkGroups: ['tg-2002'] };
    const ask = (credential: string) => explainRequest(limited, { credential });
    expect((await ask(value)).finding).toBeUndefined();
    const accepted = explainRequest(limited, { credential: value, sourceAddress: '203.0.113.9' });
    await expect(accepted).rejects.toThrow(
      'the credential belongs to a service trunk group that you cannot access',
    );
    const wrong = formatApiKeyValue(apiKey.keyId, new Uint8Array(32).fill(9));
    expect((await explainRequest(context, { credential: wrong })).finding).toEqual({
      name: 'key_id',
      received: apiKey.keyId,
      expected: 'with the value that was shown at creation',
    });
    const explained = JSON.stringify(await explainRequest(context, { credential: wrong }));
    expect(explained).not.toContain(wrong);
  });
});
