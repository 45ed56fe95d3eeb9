import { describe, expect, it } from 'vitest';
import type { AccessTokenType } from '../../../contract/access-token-type.ts';
import { verifyBearer } from '../../../core/verifier/verify-bearer.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import {
  createProvider,
  createWorld,
  issuer,
  ownClaims,
  ownKey,
  providerClaims,
  providerIssuer,
  providerKey,
  reasonOf,
  settings,
} from '../../../lab/support/verifier-world.ts';
import { createVerifier } from '../../../verifier/verifier.ts';

type Json = Readonly<Record<string, unknown>>;

function decide(
  accessTokenType: AccessTokenType | undefined,
  token: string,
  world = createWorld(),
) {
  const request = {
    authorization: [`Bearer ${token}`],
    sourceAddress: undefined,
    requiredScopes: [],
    now: world.now,
  };
  return verifyBearer(request, world.ports, { ...settings, accessTokenType });
}

function own(typ: string | undefined, claims: Json = {}): string {
  return signToken(ownKey, { ...ownClaims, ...claims }, { typ });
}

describe('a deployment that issues the type at+jwt', () => {
  it.each([undefined, 'at+jwt'] as const)('accepts no other type (%j)', async (setting) => {
    await decide(setting, own('at+jwt'));
    for (const typ of ['JWT', 'jwt', 'application/jwt', undefined, 'dpop+jwt']) {
      expect(await reasonOf(decide(setting, own(typ)))).toBe('token_type_not_allowed');
    }
  });
});

describe('a deployment that issues the type JWT', () => {
  it.each(['JWT', 'jwt', 'application/jwt', 'at+jwt', 'application/at+jwt'])(
    'accepts %s: its tokens, and those from before the change',
    async (typ) => {
      expect(await decide('JWT', own(typ))).toMatchObject({ clientId: ownClaims.client_id });
    },
  );

  it.each([
    undefined,
    '',
    'self-test+jwt',
    'canary+jwt',
    'dpop+jwt',
    'logout+jwt',
    'secevent+jwt',
    'client-authentication+jwt',
    'oauth-authz-req+jwt',
    'JOSE',
  ])('accepts no token of the type %j, with all the claims of an access token', async (typ) => {
    expect(await reasonOf(decide('JWT', own(typ)))).toBe('token_type_not_allowed');
  });

  /** JWTs of other kinds under this service's own key, each with the type JWT. */
  it.each<[string, Json]>([
    // RFC 7523 §3: the client is the issuer, and this service the audience.
    ['a client assertion', { iss: ownClaims.client_id, aud: issuer }],
    ['a client assertion in the name of this service', { client_id: undefined, scope: undefined }],
    ['a proof of possession (RFC 9449 §4.2)', { htm: 'GET', htu: 'https://api.example.com/x' }],
    ['an ID token (OpenID Connect Core §2)', { nonce: 'n-0S6_WzA2Mj', at_hash: 'x' }],
    ['an ID token of a user', { sub: 'user-1', azp: ownClaims.client_id }],
    ['a token of a user', { sub: 'user-1' }],
    ['a logout token', { events: {} }],
    ['a delegated token', { act: { sub: 'other' } }],
    ['a payload of the self-test', { client_id: undefined, jti: undefined, sub: undefined }],
    ['a token without a trunk group', { service_trunk_group: undefined }],
    ['a token without iat', { iat: undefined }],
    ['a token for another API', { aud: 'https://other.example.com' }],
  ])('does not take %s for an access token', async (_, claims) => {
    const reason = await reasonOf(decide('JWT', own('JWT', claims)));
    expect(['token_claims_malformed', 'token_audience_not_allowed', 'issuer_unknown']).toContain(
      reason,
    );
  });

  it('takes no token of a provider for one of its own, and none of its own for a provider’s', async () => {
    const forged = signToken(providerKey, ownClaims, { typ: 'JWT' });
    expect(await reasonOf(decide('JWT', forged))).toBe('token_key_unknown');
    const claims = { ...ownClaims, iss: providerIssuer };
    const crossed = signToken(ownKey, claims, { typ: 'JWT' });
    const world = createWorld();
    world.providers.set(providerIssuer, createProvider());
    expect(await reasonOf(decide('JWT', crossed, world))).toBe('token_key_unknown');
    const provided = signToken(providerKey, providerClaims, { typ: 'JWT' });
    expect(await decide('JWT', provided)).toMatchObject({ issuer: providerIssuer });
  });
});

describe('the option of the library', () => {
  it.each(['jwt', 'at+JWT', '', 1, null])('refuses %j', (accessTokenType) => {
    const options = { issuer, audience: settings.audiences, accessTokenType };
    expect(() => createVerifier(options as Parameters<typeof createVerifier>[0])).toThrow(
      'allowed: at+jwt or JWT',
    );
  });
});
