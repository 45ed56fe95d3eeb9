import { describe, expect, it } from 'vitest';
import { maxExternalIdLength, maxTokenLifetime, verifierLeeway } from '../../../contract/bounds.ts';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import type { BearerRefusal, RefusalReason } from '../../../core/verifier/bearer-refusal.ts';
import { verifyBearer } from '../../../core/verifier/verify-bearer.ts';
import { personStop } from '../../../lab/support/stops.ts';
import {
  createTestKey,
  encodeJson,
  signParts,
  signToken,
} from '../../../lab/support/test-issuer.ts';
import {
  audience,
  createProvider,
  createProviderClient,
  createWorld,
  externalClientId,
  issuer,
  now,
  otherIssuer,
  otherKey,
  ownClaims,
  providerClaims,
  providerIssuer,
  providerKey,
  reasonOf,
  settings,
} from '../../../lab/support/verifier-world.ts';

function tokenOf(
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): string {
  return `Bearer ${signToken(providerKey, { ...providerClaims, ...claims }, { typ: 'JWT', ...header })}`;
}

/** A time as JSON text, which `JSON.stringify` would not write. */
function writtenTime(name: string, text: string): string {
  const claims = JSON.stringify({ ...providerClaims, [name]: 'written' });
  const header = encodeJson({ typ: 'JWT', alg: providerKey.alg, kid: providerKey.kid });
  const payload = Buffer.from(claims.replace('"written"', text)).toString('base64url');
  return `Bearer ${signParts(providerKey, header, payload)}`;
}

describe('a token of a registered provider', () => {
  it('is accepted as the client that was created under that provider', async () => {
    expect(await createWorld().verify(tokenOf({ scope: 'admin:all', jti: 'j' }))).toEqual({
      credential: 'access_token',
      issuer: providerIssuer,
      subject: externalClientId,
      clientId: deriveProviderClientId(providerIssuer, externalClientId),
      scopes: ['messaging:view'],
      serviceTrunkGroup: 'group-2',
      audiences: [audience],
      tokenId: 'j',
      expiresAt: now + 600,
    });
  });

  const accepted: readonly (readonly [string, string])[] = [
    ['typ at+jwt', tokenOf({}, { typ: 'at+jwt' })],
    ['typ application/at+jwt', tokenOf({}, { typ: 'application/at+jwt' })],
    ['typ jwt in small letters', tokenOf({}, { typ: 'jwt' })],
    ['no typ', tokenOf({}, { typ: undefined })],
    ['the client as client_id', tokenOf({ client_id: externalClientId, azp: 'x', sub: 'user-1' })],
    ['the client as azp', tokenOf({ azp: externalClientId, sub: 'user-1' })],
    ['no iat', tokenOf({ iat: undefined })],
    ['no sub if client_id is given', tokenOf({ client_id: externalClientId, sub: undefined })],
    ['several audiences', tokenOf({ aud: ['x', audience] })],
    ['times with fractions', tokenOf({ iat: now - 0.5, nbf: now + 0.818, exp: now + 600.9 })],
    ['a fraction at the leeway', tokenOf({ iat: now + verifierLeeway - 0.001 })],
    ['exp a second before the leeway ends', tokenOf({ exp: now - verifierLeeway + 1.9 })],
    ...['', 'a\nb', 'ä', 'a b', 'x'.repeat(257)].map(
      (jti) => [`jti ${JSON.stringify(jti.slice(0, 9))}`, tokenOf({ jti })] as const,
    ),
  ];

  it.each(accepted)('is accepted: %s', async (_, authorization) => {
    expect(await createWorld().verify(authorization)).toMatchObject({ issuer: providerIssuer });
  });

  const refused: readonly [string, string, RefusalReason][] = [
    ['another typ', tokenOf({}, { typ: 'logout+jwt' }), 'token_type_not_allowed'],
    ['an alg that is not registered', tokenOf({}, { alg: 'PS256' }), 'token_algorithm_not_allowed'],
    ['an alg of another key', tokenOf({}, { alg: 'RS256' }), 'token_algorithm_not_allowed'],
    ['alg none', tokenOf({}, { alg: 'none' }), 'token_algorithm_not_allowed'],
    ['alg HS256', tokenOf({}, { alg: 'HS256' }), 'token_algorithm_not_allowed'],
    ['no kid', tokenOf({}, { kid: undefined }), 'token_key_id_missing'],
    ['crit', tokenOf({}, { crit: ['x'] }), 'token_critical_header'],
    ['a kid of another provider', tokenOf({}, { kid: otherKey.kid }), 'token_key_unknown'],
    ['client_id that is unknown', tokenOf({ client_id: 'x' }), 'client_unknown'],
    ['azp that is unknown', tokenOf({ azp: 'x' }), 'client_unknown'],
    ['sub that is unknown', tokenOf({ sub: 'user-1' }), 'client_unknown'],
    ['client_id that is a number', tokenOf({ client_id: 1 }), 'token_claims_malformed'],
    ['client_id null before a good sub', tokenOf({ client_id: null }), 'token_claims_malformed'],
    ['client_id empty before a good sub', tokenOf({ client_id: '' }), 'token_claims_malformed'],
    ['azp as an array', tokenOf({ azp: [externalClientId] }), 'token_claims_malformed'],
    ['no client at all', tokenOf({ sub: undefined }), 'token_claims_malformed'],
    [
      'a client id that is too long',
      tokenOf({ client_id: 'x'.repeat(maxExternalIdLength + 1) }),
      'token_claims_malformed',
    ],
    ['jti as a number', tokenOf({ jti: 1 }), 'token_claims_malformed'],
    ['jti as null', tokenOf({ jti: null }), 'token_claims_malformed'],
    [
      'sub as an object',
      tokenOf({ client_id: externalClientId, sub: {} }),
      'token_claims_malformed',
    ],
    ['another audience', tokenOf({ aud: 'https://other.example' }), 'token_audience_not_allowed'],
    [
      'its own client id as audience',
      tokenOf({ aud: externalClientId }),
      'token_audience_not_allowed',
    ],
    ['no audience', tokenOf({ aud: undefined }), 'token_claims_malformed'],
    ['no exp', tokenOf({ exp: undefined }), 'token_claims_malformed'],
    ['exp in the past', tokenOf({ exp: now - verifierLeeway }), 'token_expired'],
    ['exp past by a fraction', tokenOf({ exp: now - verifierLeeway + 0.9 }), 'token_expired'],
    ['exp above every time', tokenOf({ exp: 1e300 }), 'token_claims_malformed'],
    ['exp that overflows', writtenTime('exp', '1e400'), 'token_claims_malformed'],
    ['nbf that overflows', writtenTime('nbf', '-1e400'), 'token_claims_malformed'],
    ['iat just below zero', tokenOf({ iat: -0.5 }), 'token_claims_malformed'],
    ['iat as text', tokenOf({ iat: `${now}.5` }), 'token_claims_malformed'],
    ['exp as null', tokenOf({ exp: null }), 'token_claims_malformed'],
    ['nbf as an array', tokenOf({ nbf: [now] }), 'token_claims_malformed'],
    ['iat as a boolean', tokenOf({ iat: true }), 'token_claims_malformed'],
    ['nbf late by a fraction', tokenOf({ nbf: now + verifierLeeway + 0.1 }), 'token_not_yet_valid'],
    ['iat late by a fraction', tokenOf({ iat: now + verifierLeeway + 0.1 }), 'token_not_yet_valid'],
    [
      'a life of a fraction over a day',
      tokenOf({ iat: now - 0.1, exp: now + maxTokenLifetime }),
      'token_lifetime_too_long',
    ],
    [
      'a life of over a day without iat',
      tokenOf({ iat: undefined, exp: now + verifierLeeway + maxTokenLifetime + 1 }),
      'token_lifetime_too_long',
    ],
  ];

  it.each(refused)('is refused: %s', async (_, authorization, reason) => {
    expect(await reasonOf(createWorld().verify(authorization))).toBe(reason);
  });

  it('is refused under a key of this service', async () => {
    const world = createWorld();
    const token = signToken(providerKey, ownClaims);
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_key_unknown');
  });

  describe('whose registration chose the claim that names the client', () => {
    const chosen = (clientIdClaim: string) => {
      const world = createWorld();
      world.providers.set(providerIssuer, createProvider({ clientIdClaim }));
      return world;
    };

    it.each(['appid', 'cid', 'https://example.com/client'])('is accepted by %s', async (claim) => {
      const token = tokenOf({ [claim]: externalClientId, client_id: 'x', azp: 'x', sub: 'x' });
      expect(await chosen(claim).verify(token)).toMatchObject({ subject: 'x' });
    });

    it.each<[string, Readonly<Record<string, unknown>>]>([
      ['no such claim, although others name the client', { client_id: externalClientId }],
      ['an empty one', { appid: '' }],
      ['a list', { appid: [externalClientId] }],
      ['a number', { appid: 1 }],
    ])('is refused with %s', async (_, claims) => {
      expect(await reasonOf(chosen('appid').verify(tokenOf(claims)))).toBe(
        'token_claims_malformed',
      );
    });

    it('never takes what every object has', async () => {
      expect(await reasonOf(chosen('constructor').verify(tokenOf()))).toBe(
        'token_claims_malformed',
      );
    });
  });

  describe('without aud, whose scopes name the API', () => {
    const withoutAud = { aud: undefined, token_use: 'access', client_id: externalClientId };
    const scope = `openid ${audience}/messages.read https://other.example/x`;
    const world = () => {
      const created = createWorld();
      created.providers.set(providerIssuer, createProvider({ audienceFrom: 'scope' }));
      return created;
    };

    it('is accepted for the APIs that its scopes belong to', async () => {
      expect(await world().verify(tokenOf({ ...withoutAud, scope }))).toMatchObject({
        audiences: [audience, 'https://other.example'],
      });
    });

    it('is refused unless the registration says so', async () => {
      const token = tokenOf({ ...withoutAud, scope });
      expect(await reasonOf(createWorld().verify(token))).toBe('token_claims_malformed');
    });

    it.each<[string, Readonly<Record<string, unknown>>, RefusalReason]>([
      ['of another API', { scope: 'https://other.example/x' }, 'token_audience_not_allowed'],
      ['of no API', { scope: 'openid messages.read' }, 'token_audience_not_allowed'],
      ['only like the API', { scope: `${audience}.evil/x` }, 'token_audience_not_allowed'],
      ['a list', { scope: [`${audience}/x`] }, 'token_claims_malformed'],
      ['missing', {}, 'token_claims_malformed'],
      ['of an id token', { scope, token_use: 'id' }, 'token_claims_malformed'],
    ])('is refused with scopes %s', async (_, claims, reason) => {
      expect(await reasonOf(world().verify(tokenOf({ ...withoutAud, ...claims })))).toBe(reason);
    });

    it('is judged by aud if it has one, and never by its scopes then', async () => {
      const token = tokenOf({ ...withoutAud, aud: 'https://other.example', scope });
      expect(await reasonOf(world().verify(token))).toBe('token_audience_not_allowed');
      const good = tokenOf({ ...withoutAud, aud: audience, scope: 'x' });
      expect(await world().verify(good)).toMatchObject({ audiences: [audience] });
    });
  });

  it.each([
    '0d6a2c1e-2d4a-4f7c-9a5c-4f8d6f0d7b11',
    'account',
    'sts.amazonaws.com',
    '407408718192.apps.googleusercontent.com',
    'spiffe://example.org/api',
    'my api',
  ])('may have the audience %j, which is no absolute URI', async (aud) => {
    const world = createWorld();
    const client = createProviderClient({ audiences: [aud] });
    world.clients.set(client.clientId, client);
    const bearer = `Bearer ${signToken(providerKey, { ...providerClaims, aud }, { typ: 'JWT' })}`;
    const request = {
      authorization: [bearer],
      sourceAddress: undefined,
      requiredScopes: [],
      now: world.now,
    };
    const verified = await verifyBearer(request, world.ports, { ...settings, audiences: [aud] });
    expect(verified).toMatchObject({ audiences: [aud] });
  });

  it.each([
    'https://attacker.example',
    `${providerIssuer}/`,
    'https://login.example.net/tenant-b',
    'http://login.example.net/tenant-a',
    'constructor',
    `${providerIssuer}#keys`,
    '',
    1,
    null,
    [providerIssuer],
    `https://${'x'.repeat(2000)}.example`,
  ])('is refused without a fetch when its iss is %j', async (iss) => {
    const world = createWorld();
    expect(await reasonOf(world.verify(tokenOf({ iss })))).toBe('issuer_unknown');
    expect(world.fetches).toEqual([]);
  });

  it('is looked up only if it can be an https issuer', async () => {
    const world = createWorld();
    const hostile = [
      'constructor',
      '',
      `https://${'x'.repeat(2000)}.example`,
      // 3,000 bytes: DynamoDB takes keys of 2,048, and an error of its own is no decision.
      `https://${'\u20ac'.repeat(1000)}`,
      'https://\ud800.example',
      'https://login.example.net/\u0000',
      'https://login example.net',
    ];
    for (const iss of hostile) {
      await reasonOf(world.verify(tokenOf({ iss })));
    }
    expect(world.lookups).toEqual([]);
  });

  it.each<[string, object, RefusalReason | undefined]>([
    ['iat 60 s ahead', { iat: now + 60 }, undefined],
    ['iat 61 s ahead', { iat: now + 61 }, 'token_not_yet_valid'],
    ['nbf 60.1 s ahead', { nbf: now + 60.1 }, 'token_not_yet_valid'],
    ['exp 59 s ago', { exp: now - 59 }, undefined],
    ['exp 60 s ago', { exp: now - 60 }, 'token_expired'],
  ])('with a leeway of 60 s of its provider, of no other: %s', async (_, claims, reason) => {
    const world = createWorld();
    const usual = await reasonOf(world.verify(tokenOf({ ...claims })));
    expect(usual).toMatch(/^token_(expired|not_yet_valid)$/);
    world.providers.set(providerIssuer, createProvider({ leeway: 60 }));
    if (reason === undefined) await world.verify(tokenOf({ ...claims }));
    else expect(await reasonOf(world.verify(tokenOf({ ...claims })))).toBe(reason);
  });

  it('is refused when the provider is deleted', async () => {
    const world = createWorld();
    await world.verify(tokenOf());
    world.providers.delete(providerIssuer);
    expect(await reasonOf(world.verify(tokenOf()))).toBe('issuer_unknown');
  });

  it('is refused while something stops the provider, with the text of an unknown one', async () => {
    const world = createWorld();
    world.providers.set(providerIssuer, createProvider({ stops: personStop }));
    const stopped = await world.verify(tokenOf()).catch((error: unknown) => error);
    world.providers.delete(providerIssuer);
    const unknown = await world.verify(tokenOf()).catch((error: unknown) => error);
    expect(stopped).toMatchObject({ reason: 'provider_stopped' });
    const { status, code, description } = unknown as BearerRefusal;
    expect(stopped).toMatchObject({ status, code, description });
  });

  it('is refused when the client is disabled or deleted', async () => {
    const world = createWorld();
    const { clientId } = createProviderClient();
    world.clients.set(clientId, createProviderClient({ stops: personStop }));
    expect(await reasonOf(world.verify(tokenOf()))).toBe('client_disabled');
    world.clients.delete(clientId);
    expect(await reasonOf(world.verify(tokenOf()))).toBe('client_unknown');
  });

  it('is refused if it was issued a fraction of a second before tokens were revoked', async () => {
    const world = createWorld();
    const { clientId } = createProviderClient();
    world.clients.set(clientId, createProviderClient({ tokensNotBefore: now }));
    expect(await reasonOf(world.verify(tokenOf({ iat: now - 0.1 })))).toBe('token_revoked');
    expect(await world.verify(tokenOf({ iat: now + 0.1 }))).toMatchObject({ clientId });
  });

  it('is refused for a client of an earlier registration of the same issuer', async () => {
    const world = createWorld();
    world.providers.set(providerIssuer, createProvider({ registrationId: 'idp_2' }));
    expect(await reasonOf(world.verify(tokenOf()))).toBe('client_unknown');
  });

  it('does not use keys of an earlier registration of the same issuer', async () => {
    const world = createWorld();
    await world.verify(tokenOf());
    const jwksUri = `${providerIssuer}/other-jwks`;
    world.providers.set(providerIssuer, createProvider({ registrationId: 'idp_2', jwksUri }));
    world.jwks.set(providerIssuer, [otherKey]);
    expect(await reasonOf(world.verify(tokenOf()))).toBe('token_key_unknown');
    expect(world.fetches.at(-1)).toMatchObject({ jwksUri });
  });

  it.each([
    ['a client that a stored record gives to another issuer', { issuer: otherIssuer }],
    ['a client of another registration', { registrationId: 'idp_9' }],
    ['a client with another id there', { externalClientId: 'app-2' }],
  ])('never takes %s', async (_, change) => {
    const world = createWorld();
    const client = createProviderClient();
    const provider = { issuer: providerIssuer, registrationId: 'idp_1', externalClientId };
    world.clients.set(client.clientId, { ...client, provider: { ...provider, ...change } });
    expect(await reasonOf(world.verify(tokenOf()))).toBe('client_unknown');
  });

  it('never takes a client of this service', async () => {
    const world = createWorld();
    const { provider: _, ...client } = createProviderClient();
    world.clients.set(client.clientId, client);
    expect(await reasonOf(world.verify(tokenOf()))).toBe('client_unknown');
  });

  it('of one tenant is refused for another, even under one key (CVE-2025-55241)', async () => {
    const world = createWorld();
    world.providers.set(
      otherIssuer,
      createProvider({ issuer: otherIssuer, registrationId: 'idp_3' }),
    );
    world.jwks.set(otherIssuer, [providerKey]);
    expect(await reasonOf(world.verify(tokenOf({ iss: otherIssuer })))).toBe('client_unknown');
  });

  it('never crosses keys of one kid between two providers (CVE-2025-59936)', async () => {
    const world = createWorld();
    const twin = {
      ...otherKey,
      kid: providerKey.kid,
      jwk: { ...otherKey.jwk, kid: providerKey.kid },
    };
    world.providers.set(
      otherIssuer,
      createProvider({ issuer: otherIssuer, registrationId: 'idp_3' }),
    );
    world.jwks.set(otherIssuer, [twin]);
    await world.verify(tokenOf());
    const token = signToken(twin, providerClaims, { typ: 'JWT' });
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_signature_wrong');
  });

  it('has one principal at each provider, even with one sub', async () => {
    const world = createWorld();
    const registrationId = 'idp_3';
    const provider = { issuer: otherIssuer, registrationId, externalClientId };
    world.providers.set(otherIssuer, createProvider({ issuer: otherIssuer, registrationId }));
    const client = createProviderClient({ provider });
    world.clients.set(client.clientId, client);
    const first = await world.verify(tokenOf());
    const token = signToken(otherKey, { ...providerClaims, iss: otherIssuer }, { typ: 'JWT' });
    const second = await world.verify(`Bearer ${token}`);
    expect(first).toMatchObject({ subject: externalClientId, issuer: providerIssuer });
    expect(second).toMatchObject({ subject: externalClientId, issuer: otherIssuer });
    expect(first).not.toMatchObject({ clientId: client.clientId });
  });

  it('needs an audience of the client that is also a name of this API', async () => {
    const world = createWorld();
    const elsewhere = 'https://other-api.example.com';
    const client = createProviderClient({ audiences: [elsewhere] });
    world.clients.set(client.clientId, client);
    expect(await reasonOf(world.verify(tokenOf({ aud: audience })))).toBe(
      'token_audience_not_allowed',
    );
    expect(await reasonOf(world.verify(tokenOf({ aud: elsewhere })))).toBe(
      'token_audience_not_allowed',
    );
    world.clients.set(client.clientId, { ...client, audiences: [elsewhere, audience] });
    expect(await world.verify(tokenOf({ aud: audience }))).toMatchObject({ audiences: [audience] });
  });

  it('is refused if the verifier was given no providers', async () => {
    const world = createWorld({ identityProviders: undefined, clients: undefined });
    expect(await reasonOf(world.verify(tokenOf()))).toBe('issuer_unknown');
  });

  it('is refused if our own issuer is in the table of providers', async () => {
    const world = createWorld();
    world.providers.set(issuer, createProvider({ issuer }));
    const token = signToken(providerKey, { ...providerClaims, iss: issuer }, { typ: 'at+jwt' });
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_claims_malformed');
  });

  it('is refused under a key that does not fit its alg', async () => {
    const world = createWorld();
    const rsa = createTestKey('RS256');
    world.jwks.set(providerIssuer, [rsa]);
    const token = tokenOf({}, { kid: rsa.kid, alg: 'ES256' });
    expect(await reasonOf(world.verify(token))).toBe('token_algorithm_not_allowed');
  });
});
