import { describe, expect, it } from 'vitest';
import type { ApiKeySubnet } from '../../../core/api-key/api-key.ts';
import { formatApiKeyValue, hashSecret } from '../../../core/credential/credential-value.ts';
import { MalformedRecordError, UnavailableError } from '../../../core/errors.ts';
import type { RefusalReason } from '../../../core/verifier/bearer-refusal.ts';
import { bearerErrorResponse, challengeOf } from '../../../core/verifier/challenge.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import {
  apiKeyValue,
  createApiKey,
  createTestKeys,
  createWorld,
  issuer,
  now,
  ownClaims,
  ownKey,
  providerClaims,
  providerKey,
  reasonOf,
  refusalOf,
} from '../../../lab/support/verifier-world.ts';

const token = signToken(ownKey, ownClaims);

function subnet(address: string, prefixLength: number): ApiKeySubnet {
  return { subnetId: 'subnet_1', name: 'office', address, prefixLength };
}

describe('the Authorization header (RFC 6750 §2.1)', () => {
  it.each([`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}`])(
    'is read with any case of the scheme and any number of spaces',
    async (value) => {
      expect(await createWorld().verify(value)).toMatchObject({ issuer });
    },
  );

  const refused: readonly [string, readonly string[], RefusalReason][] = [
    ['none', [], 'no_credential'],
    ['an empty one', [''], 'no_credential'],
    ['another scheme', ['Basic Zm9vOmJhcg=='], 'no_credential'],
    ['a scheme that begins like it', [`Bearers ${token}`], 'no_credential'],
    ['only the token', [token], 'no_credential'],
    ['a tab after the scheme', [`Bearer\t${token}`], 'no_credential'],
    ['only the scheme', ['Bearer'], 'authorization_malformed'],
    ['the scheme and a space', ['Bearer '], 'authorization_malformed'],
    ['two tokens', [`Bearer ${token} ${token}`], 'authorization_malformed'],
    ['two with a comma', [`Bearer ${token}, Bearer ${token}`], 'authorization_malformed'],
    ['quotes', [`Bearer "${token}"`], 'authorization_malformed'],
    ['non-ASCII', ['Bearer tökén'], 'authorization_malformed'],
    ['a line feed', [`Bearer ${token}\n`], 'authorization_malformed'],
    ['two headers', [`Bearer ${token}`, `Bearer ${token}`], 'authorization_repeated'],
    ['two different headers', ['Basic eDp5', `Bearer ${token}`], 'authorization_repeated'],
  ];

  it.each(refused)('is refused: %s', async (_, values, reason) => {
    expect(await reasonOf(createWorld().verify(values))).toBe(reason);
  });
});

describe('the use of an API key', () => {
  const old = { valueId: 'key_0000000000000000000007', expiresAt: now + 60 };
  const newValue = formatApiKeyValue('key_0000000000000000000007', Buffer.alloc(32, 9));

  async function usesOf(overrides: Parameters<typeof createApiKey>[0], value = apiKeyValue) {
    const uses: unknown[] = [];
    const key = createApiKey(overrides);
    const recordUse = (...use: unknown[]) => uses.push(use);
    const world = createWorld({ apiKeys: { findApiKey: async () => key, recordUse } });
    await world.verify(`Bearer ${value}`, ['messaging:view']).catch(() => undefined);
    return uses;
  }
  const keyId = 'key_0000000000000000000007';

  it.each([
    ['the first value', {}, [[{ keyId, valueId: keyId }, now]]],
    [
      'an old value',
      {
        hash: hashSecret(newValue),
        valueId: 'secret_new',
        oldValues: [{ ...old, hash: hashSecret(apiKeyValue) }],
      },
      [[{ keyId, valueId: keyId }, now]],
    ],
    [
      'a new value',
      { valueId: 'secret_new', oldValues: [{ ...old, hash: hashSecret(newValue) }] },
      [[{ keyId, valueId: 'secret_new' }, now]],
    ],
    // Its owner still calls, and should know before the key is deleted.
    ['a key that lacks the scope', { scopes: ['calls:view'] }, [[{ keyId, valueId: keyId }, now]]],
    ['a disabled key', { stops: personStop }, []],
    ['a key that has expired', { expiresAt: now }, []],
    ['another source', { subnets: [subnet('192.0.2.0', 24)] }, []],
    ['a wrong value', { hash: hashSecret('another') }, []],
  ])('is recorded with its value, and only if the value works: %s', async (_, overrides, uses) => {
    expect(await usesOf(overrides)).toEqual(uses);
  });
});

describe('an API key', () => {
  it('is accepted, and stands for every scope', async () => {
    const world = createWorld();
    expect(await world.verify(`Bearer ${apiKeyValue}`, ['messaging:manage'])).toEqual({
      credential: 'api_key',
      keyId: createApiKey().keyId,
      serviceTrunkGroup: 'group-3',
    });
  });

  it('with scopes satisfies these and no other, and names them', async () => {
    const world = createWorld();
    const key = createApiKey({ scopes: ['messaging:view', 'calls:view'] });
    world.apiKeys.set(key.keyId, key);
    const verify = (...scopes: readonly string[]) => world.verify(`Bearer ${apiKeyValue}`, scopes);
    expect(await verify('calls:view')).toEqual({
      credential: 'api_key',
      keyId: key.keyId,
      serviceTrunkGroup: 'group-3',
      scopes: ['messaging:view', 'calls:view'],
    });
    expect(await verify()).toMatchObject({ scopes: key.scopes });
    const refusal = await refusalOf(verify('messaging:view', 'messaging:manage'));
    expect(refusal).toMatchObject({
      reason: 'api_key_scope_missing',
      status: 403,
      code: 'insufficient_scope',
      description: 'the API key lacks a scope that this request requires',
      facts: { keyId: key.keyId, requiredScopes: ['messaging:view', 'messaging:manage'] },
      finding: {
        name: 'scope',
        received: 'messaging:view calls:view',
        expected: 'messaging:view messaging:manage',
      },
    });
    expect(await reasonOf(verify('calls:vie'))).toBe('api_key_scope_missing');
  });

  const { keyId } = createApiKey();
  const wrong: readonly [string, string, RefusalReason, number][] = [
    [
      'an unknown id',
      formatApiKeyValue('key_0000000000000000000008', Buffer.alloc(32, 7)),
      'api_key_unknown',
      1,
    ],
    ['a wrong secret', formatApiKeyValue(keyId, Buffer.alloc(32, 8)), 'api_key_wrong', 1],
    ['a wrong checksum', `${apiKeyValue.slice(0, -1)}_`, 'api_key_malformed', 0],
    ['only the prefix', 'ak_', 'api_key_malformed', 0],
    ['something after it', `${apiKeyValue}A`, 'api_key_malformed', 0],
    ['a path for an id', 'ak_../../etc/passwd', 'api_key_malformed', 0],
  ];

  it.each(wrong)('is refused: %s', async (_, value, reason, lookups) => {
    const world = createWorld();
    expect(await reasonOf(world.verify(`Bearer ${value}`))).toBe(reason);
    expect(world.lookups).toHaveLength(lookups);
  });

  it('is refused when it is disabled or deleted', async () => {
    const world = createWorld();
    await world.verify(`Bearer ${apiKeyValue}`);
    world.apiKeys.set(keyId, createApiKey({ stops: personStop }));
    expect(await reasonOf(world.verify(`Bearer ${apiKeyValue}`))).toBe('api_key_disabled');
    world.apiKeys.delete(keyId);
    expect(await reasonOf(world.verify(`Bearer ${apiKeyValue}`))).toBe('api_key_unknown');
  });

  it('is refused from its end on, which a release that sets one writes', async () => {
    const world = createWorld();
    world.apiKeys.set(keyId, createApiKey({ expiresAt: world.now + 1 }));
    await world.verify(`Bearer ${apiKeyValue}`);
    world.apiKeys.set(keyId, createApiKey({ expiresAt: world.now }));
    expect(await reasonOf(world.verify(`Bearer ${apiKeyValue}`))).toBe('api_key_expired');
  });

  it('is refused if the verifier was given no keys', async () => {
    const world = createWorld({ apiKeys: undefined });
    const refusal: unknown = await world.verify(`Bearer ${apiKeyValue}`).catch((error) => error);
    expect(refusal).toMatchObject({
      reason: 'api_key_not_accepted',
      finding: {
        name: 'credential',
        received: 'an API key',
        expected: 'an access token: this verifier has no look-ups of API keys (apiKeys)',
      },
    });
  });

  it('is never accepted in the place of a stored hash', async () => {
    const world = createWorld();
    world.apiKeys.set(keyId, createApiKey({ hash: apiKeyValue }));
    expect(await reasonOf(world.verify(`Bearer ${apiKeyValue}`))).toBe('api_key_wrong');
  });

  const four = [subnet('203.0.113.0', 24), subnet('198.51.100.4', 31)];
  const six = [subnet('2001:db8::', 32)];
  const sources: readonly [string, readonly ApiKeySubnet[], string | undefined, boolean][] = [
    ['an empty list and any source', [], '192.0.2.1', true],
    ['an empty list and no source', [], undefined, true],
    ['last of a /24', four, '203.0.113.255', true],
    ['one after a /24', four, '203.0.114.0', false],
    ['the second entry', four, '198.51.100.5', true],
    ['mapped IPv4 in the list', four, '::ffff:203.0.113.9', true],
    ['inside an IPv6 list', six, '2001:db8:ffff::1', true],
    ['a list and no source', four, undefined, false],
    ['a list and an empty source', four, '', false],
    ['a list and two sources', four, '203.0.113.9, 10.0.0.1', false],
  ];

  it.each(sources)('and its list: %s', async (_, subnets, sourceAddress, isAccepted) => {
    const world = createWorld();
    world.apiKeys.set(keyId, createApiKey({ subnets }));
    const verification = world.verify(`Bearer ${apiKeyValue}`, [], { sourceAddress });
    if (isAccepted) expect(await verification).toMatchObject({ keyId });
    else expect(await reasonOf(verification)).toBe('api_key_source_refused');
  });

  it('is refused with the same bytes for every reason', async () => {
    const world = createWorld();
    world.apiKeys.set(keyId, createApiKey({ subnets: four }));
    const outside = await refusalOf(
      world.verify(`Bearer ${apiKeyValue}`, [], { sourceAddress: '192.0.2.1' }),
    );
    const responses = [bearerErrorResponse(outside)];
    for (const [, value] of wrong) {
      responses.push(bearerErrorResponse(await refusalOf(world.verify(`Bearer ${value}`))));
    }
    world.apiKeys.set(keyId, createApiKey({ stops: personStop }));
    responses.push(bearerErrorResponse(await refusalOf(world.verify(`Bearer ${apiKeyValue}`))));
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
  });
});

describe('required scopes', () => {
  const some = signToken(ownKey, { ...ownClaims, scope: 'messaging:view read:all2' });

  it.each([
    ['none required', []],
    ['one that it has', ['messaging:view']],
    ['both that it has, in other order', ['read:all2', 'messaging:view']],
  ])('are met: %s', async (_, required) => {
    expect(await createWorld().verify(`Bearer ${some}`, required)).toMatchObject({ issuer });
  });

  it.each([
    ['one that it lacks', ['messaging:manage']],
    ['one of two that it lacks', ['messaging:view', 'messaging:manage']],
    ['one that is part of another', ['read:all']],
    ['one that another is part of', ['read:all22']],
    ['one in other case', ['Messaging:view']],
    ['two in one string', ['messaging:view read:all2']],
  ])('are not met: %s', async (_, required) => {
    const refusal = await refusalOf(createWorld().verify(`Bearer ${some}`, required));
    expect(refusal).toMatchObject({ reason: 'insufficient_scope', status: 403 });
    expect(refusal.facts).toMatchObject({
      requiredScopes: required,
      clientId: ownClaims.client_id,
    });
  });
});

describe('what answers nothing gives no access', () => {
  function fail(error: Error): () => Promise<never> {
    return async () => {
      throw error;
    };
  }
  const down = new UnavailableError('down');

  it('refuses no API key and accepts none', async () => {
    const world = createWorld({ apiKeys: { findApiKey: fail(down) } });
    await expect(world.verify(`Bearer ${apiKeyValue}`)).rejects.toBe(down);
  });

  it.each([
    ['providers', { identityProviders: { findIdentityProvider: fail(down) } }],
    ['clients', { clients: { findClient: fail(down) } }],
  ])('gives no decision on a provider token without %s, and one on ours', async (_, ports) => {
    const world = createWorld(ports);
    const foreign = signToken(providerKey, providerClaims);
    await expect(world.verify(`Bearer ${foreign}`)).rejects.toBe(down);
    expect(await world.verify(`Bearer ${token}`)).toMatchObject({ issuer });
  });

  it('comes no later than the deadline of the request if the keys do not come', async () => {
    const world = createWorld({
      jwks: createTestKeys({ now }, () => new Promise(() => undefined)),
    });
    const foreign = signToken(providerKey, providerClaims);
    for (const credential of [token, foreign]) {
      const signal = AbortSignal.timeout(20);
      await expect(world.verify(`Bearer ${credential}`, [], { signal })).rejects.toThrow(
        UnavailableError,
      );
    }
  });

  it('refuses what depends on a record that cannot be read, and nothing else', async () => {
    const broken = new MalformedRecordError('broken');
    const world = createWorld({ apiKeys: { findApiKey: fail(broken) } });
    expect(await refusalOf(world.verify(`Bearer ${apiKeyValue}`))).toMatchObject({
      reason: 'record_malformed',
      cause: broken,
    });
    expect(await world.verify(`Bearer ${token}`)).toMatchObject({ issuer });
  });

  it('passes an error that no one expected on, for the edge to make a 500', async () => {
    const bug = new TypeError('bug');
    const world = createWorld({ apiKeys: { findApiKey: fail(bug) } });
    await expect(world.verify(`Bearer ${apiKeyValue}`)).rejects.toBe(bug);
  });
});

describe('challenges (RFC 6750 §3)', () => {
  const expired = signToken(ownKey, { ...ownClaims, iat: now - 60, exp: now - 30 });
  const cases: readonly [string, readonly string[], readonly string[], number, string][] = [
    ['no credential', [], [], 401, 'Bearer realm="platform"'],
    ['another scheme', ['Basic eDp5'], [], 401, 'Bearer realm="platform"'],
    [
      'a malformed header',
      ['Bearer'],
      [],
      400,
      'Bearer realm="platform", error="invalid_request", error_description="the Authorization header is not valid"',
    ],
    [
      'two headers',
      ['Bearer a', 'Bearer a'],
      [],
      400,
      'Bearer realm="platform", error="invalid_request", error_description="there is more than one Authorization header"',
    ],
    [
      'an expired token',
      [`Bearer ${expired}`],
      [],
      401,
      'Bearer realm="platform", error="invalid_token", error_description="the access token expired"',
    ],
    [
      'a wrong API key',
      ['Bearer ak_x'],
      [],
      401,
      'Bearer realm="platform", error="invalid_token", error_description="the API key is not valid"',
    ],
    [
      'a missing scope',
      [`Bearer ${token}`],
      ['voice:call', 'messaging:view'],
      403,
      'Bearer realm="platform", error="insufficient_scope", error_description="the access token lacks a scope that this request requires", scope="voice:call messaging:view"',
    ],
  ];

  it.each(cases)('for %s', async (_, authorization, required, status, challenge) => {
    const refusal = await refusalOf(createWorld().verify(authorization, required));
    expect(challengeOf(refusal)).toBe(challenge);
    const response = bearerErrorResponse(refusal);
    expect(response).toMatchObject({
      status,
      headers: {
        'WWW-Authenticate': challenge,
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
      },
    });
  });

  it('never repeat what was received', async () => {
    const canary = 'canary-value';
    for (const value of [`Bearer ${canary}`, `Bearer ak_${canary}`, `Bearer "${canary}`]) {
      const refusal = await refusalOf(createWorld().verify(value));
      expect(
        JSON.stringify([bearerErrorResponse(refusal), refusal.message, refusal.facts]),
      ).not.toContain(canary);
    }
  });

  it('become 503 with Retry-After if there is no decision, and 500 for anything else', () => {
    expect(bearerErrorResponse(new UnavailableError('table x'))).toEqual({
      status: 503,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        Pragma: 'no-cache',
        'Retry-After': '5',
      },
      body: '{"error":"temporarily_unavailable","error_description":"the credential cannot be checked for now, try again later"}',
    });
    expect(bearerErrorResponse(new TypeError('x'))).toMatchObject({
      status: 500,
      body: '{"error":"server_error","error_description":"an unexpected error occurred"}',
    });
  });

  it('refuse a realm that the header cannot carry', async () => {
    const refusal = await refusalOf(createWorld().verify([]));
    expect(() => challengeOf(refusal, { realm: 'a"b' })).toThrow(RangeError);
  });
});
