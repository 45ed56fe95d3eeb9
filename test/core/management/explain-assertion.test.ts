import { describe, expect, it } from 'vitest';
import type { AssertionForm } from '../../../contract/management/questions.ts';
import { clientKeyAlgs } from '../../../contract/proof-algorithms.ts';
import type { Client, ClientSecret } from '../../../core/client/client.ts';
import { readClientKey } from '../../../core/client/client-key.ts';
import { restrictToTrunkGroups } from '../../../core/management/caller-reach.ts';
import { clientIdOf, makeClient, makeSecret } from '../../../lab/support/clients.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import {
  createProvider,
  createProviderClient,
  providerIssuer,
  providerKey,
} from '../../../lab/support/verifier-world.ts';
import { createTestManagement, testConfig } from '../../support/management.ts';
import { explainRequest } from '../../support/operations.ts';

const subject = 'system:serviceaccount:voice:dialer';
const federatedClients = { maxAge: 3600, ownProviders: false };
const { issuer = '' } = testConfig;

function createWorld(config: typeof testConfig = { ...testConfig, federatedClients }) {
  const test = createTestManagement({ config });
  const provider = createProvider({ clientIdClaim: 'sub' });
  const at = { issuer: providerIssuer, registrationId: 'idp_1', externalClientId: subject };
  const client = createProviderClient({ provider: at });
  test.providers.set(providerIssuer, provider);
  test.clients.set(client.clientId, client);
  test.documents.set(provider.jwksUri, { keys: [providerKey.jwk] });
  const { now } = test;
  const sign = (claims: object = {}) => {
    const usual = { iss: providerIssuer, sub: subject, aud: issuer, iat: now, exp: now + 600 };
    return signToken(providerKey, { ...usual, jti: 'a b', ...claims }, { typ: 'JWT' });
  };
  const ask = (
    claims: object = {},
    more: { assertion?: AssertionForm; scopes?: string[]; clientId?: string | undefined } = {},
  ) =>
    explainRequest(test.context, {
      credential: sign(claims),
      assertion: 'client_assertion',
      ...more,
    });
  return { test, client, sign, ask };
}

it('says whose an assertion is, and records no use', async () => {
  const { test, client, ask } = createWorld();
  expect(await ask()).toEqual({
    accepted: true,
    verified: {
      credential: 'access_token',
      issuer: providerIssuer,
      subject,
      clientId: client.clientId,
      scopes: client.scopes,
      serviceTrunkGroup: client.serviceTrunkGroup,
      audiences: [issuer],
      tokenId: 'a b',
      expiresAt: test.now + 600,
    },
  });
  expect(test.audit).toEqual([]);
});

it.each([
  [
    'client_assertion',
    { aud: 'https://api.example.com' },
    {
      reason: 'token_audience_not_allowed',
      rule: expect.stringContaining('aud is one value that names this service'),
      finding: { name: 'aud', received: ['https://api.example.com'], expected: expect.any(String) },
      status: 401,
      error: 'invalid_client',
      errorDescription: 'client authentication failed',
    },
  ],
  [
    'jwt_bearer',
    { iat: 1_799_990_000 },
    {
      reason: 'token_expired',
      finding: {
        name: 'iat',
        received: 1_799_990_000,
        expected: 'at least 1799996390, 3600 s ago',
      },
      status: 400,
      error: 'invalid_grant',
      errorDescription: 'the assertion is not accepted',
    },
  ],
  [
    'client_assertion',
    { sub: 'another' },
    {
      reason: 'client_unknown',
      finding: { name: 'external client id', received: 'another', expected: expect.any(String) },
    },
  ],
] as const)('says which rule refuses a %s with %j', async (assertion, claims, expected) => {
  const { ask } = createWorld();
  expect(await ask(claims, { assertion })).toMatchObject({ accepted: false, ...expected });
});

it('decides about the scopes that the request names', async () => {
  const { test, client, ask } = createWorld();
  const scopes = ['messaging:view', 'messaging:send'];
  test.clients.set(client.clientId, { ...client, scopes });
  const [scope = ''] = scopes;
  const verifiedScopes = async (asked: string[]) => (await ask({}, { scopes: asked })).verified;
  expect(await verifiedScopes([scope])).toMatchObject({ scopes: [scope] });
  expect(await verifiedScopes([])).toMatchObject({ scopes });
  expect(await ask({}, { scopes: [scope, 'another:one'] })).toMatchObject({
    accepted: false,
    reason: 'insufficient_scope',
    rule: 'the client has scopes, and every one that the request names',
    finding: {
      name: 'scope',
      received: [scope, 'another:one'],
      expected: 'scopes of the client: messaging:view messaging:send',
    },
    facts: { clientId: client.clientId },
    status: 400,
    error: 'invalid_scope',
    errorDescription: 'the client may not have a scope that it asks for',
  });
  test.clients.set(client.clientId, { ...client, scopes: [] });
  expect(await ask()).toMatchObject({
    status: 400,
    error: 'invalid_scope',
    errorDescription: 'the client has no scopes',
  });
});

it('says that the client_id of the request names another client', async () => {
  const { client, ask } = createWorld();
  for (const clientId of [undefined, client.clientId, subject]) {
    expect(await ask({}, { clientId })).toMatchObject({ accepted: true });
  }
  const clientId = `client_${'x'.repeat(22)}`;
  expect(await ask({}, { clientId })).toMatchObject({
    accepted: false,
    reason: 'client_unknown',
    finding: {
      name: 'client_id',
      received: clientId,
      expected: `nothing, ${client.clientId} or ${subject}`,
    },
    facts: { clientId: client.clientId },
    status: 401,
    error: 'invalid_client',
  });
});

it('says that keys cannot be fetched, which the token endpoint hides', async () => {
  const { test, ask } = createWorld();
  test.documents.clear();
  await expect(ask()).rejects.toThrow(`the keys of ${providerIssuer} cannot be fetched`);
});

it('reveals nothing of a client of another trunk group', async () => {
  const { test, sign } = createWorld();
  const limited = restrictToTrunkGroups(test.context, ['tg-2002']);
  const ask = (credential: string, clientId?: string) =>
    explainRequest(limited, { credential, assertion: 'jwt_bearer', clientId });
  await expect(ask(sign())).rejects.toThrow('another service trunk group');
  await expect(ask(sign(), 'client_x')).rejects.toThrow('another service trunk group');
  expect(await ask(sign({ sub: 'another' }))).toMatchObject({ reason: 'client_unknown' });
});

it.each<[string, Partial<Client>]>([
  ['is disabled', { stops: personStop }],
  ['had its tokens revoked', { tokensNotBefore: 4_000_000_000 }],
  ['wants a claim', { provider: { conditions: [{ claim: 'env', values: ['prod'] }] } as never }],
])('reveals nothing of a client of another trunk group that %s', async (_, state) => {
  // More clients are looked up after the refusal, so that it takes as long as an unknown one.
  const { test, client, sign } = createWorld();
  test.providers.set(
    providerIssuer,
    createProvider({ clientIdClaim: 'sub', clientPatterns: true }),
  );
  const { provider } = client;
  const stored = { ...client, ...state, provider: { ...provider, ...state.provider } };
  test.clients.set(client.clientId, stored as Client);
  const limited = restrictToTrunkGroups(test.context, ['tg-2002']);
  const question = { credential: sign(), assertion: 'jwt_bearer' } as const;
  await expect(explainRequest(limited, question)).rejects.toThrow('another service trunk group');
  const own = restrictToTrunkGroups(test.context, [client.serviceTrunkGroup]);
  expect(await explainRequest(own, question)).toMatchObject({ accepted: false });
});

describe('of a client that has a key of its own', () => {
  const key = createTestKey('ES256');
  const clientKeys = {
    algorithms: [...clientKeyAlgs],
    only: false,
    maxAge: 120,
    tokenEndpointAudience: false,
  };

  const { publicKey: otherKey } = readClientKey(JSON.stringify(createTestKey('ES256').jwk));

  function createKeyWorld(secret: Partial<ClientSecret> = {}) {
    const { test } = createWorld({ ...testConfig, clientKeys });
    const readKey = readClientKey(JSON.stringify(key.jwk));
    const client = makeClient({
      secrets: [{ ...makeSecret('x'), hash: undefined, ...readKey, ...secret }],
    });
    test.clients.set(client.clientId, client);
    const { clientId } = client;
    const usual = { iss: clientId, sub: clientId, aud: issuer, iat: test.now, exp: test.now + 60 };
    const ask = (claims: object = {}, trunkGroup = client.serviceTrunkGroup, clientId?: string) =>
      explainRequest(restrictToTrunkGroups(test.context, [trunkGroup]), {
        credential: signToken(key, { ...usual, jti: 'a', ...claims }, { typ: 'JWT' }),
        assertion: 'client_assertion',
        clientId,
      });
    return { client, ask };
  }

  it('is accepted, with what the client may do', async () => {
    const { client, ask } = createKeyWorld();
    const { clientId, scopes, serviceTrunkGroup } = client;
    const verified = { issuer: clientId, subject: clientId, clientId, scopes, serviceTrunkGroup };
    expect(await ask()).toMatchObject({ accepted: true, verified: { ...verified, tokenId: 'a' } });
    // The endpoint does not read it.
    expect(await ask({ jti: 7 })).toMatchObject({ accepted: true, verified });
  });

  it.each([
    ['its audience', {}, { aud: 'https://other.example' }, 'token_audience_not_allowed', 'aud'],
    ['its age', {}, { iat: 1_799_990_000, exp: 1_800_000_001 }, 'token_expired', 'iat'],
    ['a disabled key', { stops: personStop }, {}, 'client_unknown', 'client authentication'],
    ['another subject', {}, { sub: 'x' }, 'token_claims_malformed', 'sub'],
    ['another key', { publicKey: otherKey }, {}, 'token_signature_wrong', 'signature'],
    ['another issuer', {}, { iss: providerIssuer }, 'issuer_unknown', 'iss'],
  ])('is refused by %s', async (_, secret, claims, reason, name) => {
    const { ask } = createKeyWorld(secret);
    const seen = { status: 401, error: 'invalid_client' };
    expect(await ask(claims)).toMatchObject({
      accepted: false,
      reason,
      finding: { name },
      ...seen,
    });
  });

  it('is refused as the endpoint does if client_id names another', async () => {
    const { ask } = createKeyWorld();
    const seen = { status: 400, error: 'invalid_request' };
    expect(await ask({}, undefined, 'other')).toMatchObject({ accepted: false, ...seen });
  });

  it.each([{}, { publicKey: otherKey }, { stops: personStop }, { expiresAt: 1 }])(
    'says of a client of another trunk group what it says of none: %j',
    async (secret) => {
      const { ask } = createKeyWorld(secret);
      const none = { iss: clientIdOf(7), sub: clientIdOf(7) };
      const answer = await ask({}, 'tg-2002');
      expect(answer).toMatchObject({ accepted: false, reason: 'client_unknown', facts: {} });
      expect(answer).toEqual(await ask(none, 'tg-2002'));
      expect(answer).toEqual(await ask(none));
    },
  );
});

it('is refused if the deployment accepts no assertions', async () => {
  await expect(createWorld({ ...testConfig }).ask()).rejects.toThrow(
    'this deployment accepts no assertions: its config has no federatedClients',
  );
});
