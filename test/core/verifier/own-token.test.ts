import { createHmac, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { maxTokenLifetime, verifierLeeway } from '../../../contract/bounds.ts';
import { algs } from '../../../contract/signing-algorithms.ts';
import { canaryTokenType } from '../../../core/key-rotation/canary.ts';
import type { RefusalReason } from '../../../core/verifier/bearer-refusal.ts';
import {
  createTestKey,
  encodeJson,
  signParts,
  signToken,
} from '../../../lab/support/test-issuer.ts';
import {
  audience,
  createWorld,
  issuer,
  now,
  otherKey,
  ownClaims,
  ownEcKey,
  ownKey,
  reasonOf,
} from '../../../lab/support/verifier-world.ts';

const world = createWorld();

function withClaims(claims: Readonly<Record<string, unknown>>): string {
  return signToken(ownKey, { ...ownClaims, ...claims });
}

function withHeader(header: Readonly<Record<string, unknown>>): string {
  return signToken(ownKey, ownClaims, header);
}

describe('a token of this service', () => {
  it('is accepted, with everything that it says', async () => {
    expect(await world.verify(`Bearer ${signToken(ownKey, ownClaims)}`)).toEqual({
      credential: 'access_token',
      issuer,
      subject: ownClaims.sub,
      clientId: ownClaims.client_id,
      scopes: ['messaging:view', 'messaging:manage'],
      serviceTrunkGroup: 'group-1',
      audiences: [audience],
      tokenId: 'jti-1',
      expiresAt: ownClaims.exp,
    });
  });

  it.each(algs)('is accepted under a key for %s', async (alg) => {
    const key = createTestKey(alg);
    const other = createWorld();
    other.jwks.set(issuer, [key]);
    const verified = await other.verify(`Bearer ${signToken(key, ownClaims)}`);
    expect(verified).toMatchObject({ clientId: ownClaims.client_id });
  });

  it('needs no look-up', async () => {
    const fresh = createWorld();
    await fresh.verify(`Bearer ${signToken(ownKey, ownClaims)}`);
    expect(fresh.lookups).toEqual([]);
  });

  const accepted: readonly [string, string][] = [
    ['typ in capitals (RFC 7515 §4.1.9)', withHeader({ typ: 'AT+JWT' })],
    ['typ as full media type', withHeader({ typ: 'application/at+jwt' })],
    ['aud as an array with us in it', withClaims({ aud: ['https://other', audience] })],
    [
      'exp one second inside the leeway',
      withClaims({ exp: now - verifierLeeway + 1, iat: now - 60 }),
    ],
    ['exp 8 seconds ago', withClaims({ exp: now - 8, iat: now - 60 })],
    ['nbf at the end of the leeway', withClaims({ nbf: now + verifierLeeway })],
    ['iat 8 seconds ahead', withClaims({ iat: now + 8 })],
    ['the longest lifetime', withClaims({ exp: now + maxTokenLifetime })],
    ['no scope claim', withClaims({ scope: undefined })],
    ['a claim that is not known', withClaims({ __proto__x: 1, principalId: 'admin' })],
  ];

  it.each(accepted)('is accepted: %s', async (_, token) => {
    expect(await world.verify(`Bearer ${token}`)).toMatchObject({ issuer });
  });

  const claims: readonly [string, Readonly<Record<string, unknown>>, RefusalReason][] = [
    ['iss with a trailing slash', { iss: `${issuer}/` }, 'issuer_unknown'],
    ['iss in other case', { iss: 'https://AUTH.example.com' }, 'issuer_unknown'],
    ['iss with the default port', { iss: `${issuer}:443` }, 'issuer_unknown'],
    ['iss with a look-alike host', { iss: 'https://\u0430uth.example.com' }, 'issuer_unknown'],
    ['iss as an array (CVE-2025-30144)', { iss: [issuer] }, 'issuer_unknown'],
    ['no iss', { iss: undefined }, 'issuer_unknown'],
    ['no aud', { aud: undefined }, 'token_claims_malformed'],
    ['aud that ours is a prefix of', { aud: `${audience}.evil` }, 'token_audience_not_allowed'],
    ['aud that is a prefix of ours', { aud: audience.slice(0, -1) }, 'token_audience_not_allowed'],
    ['aud as an object', { aud: { [audience]: true } }, 'token_claims_malformed'],
    ['aud as an empty array', { aud: [] }, 'token_audience_not_allowed'],
    ['aud with a number next to us', { aud: [audience, 1] }, 'token_claims_malformed'],
    ['aud as nested arrays', { aud: [[audience]] }, 'token_claims_malformed'],
    ['no exp', { exp: undefined }, 'token_claims_malformed'],
    ['exp at the end of the leeway', { exp: now - verifierLeeway }, 'token_expired'],
    ['exp beyond the leeway', { exp: now - verifierLeeway - 1 }, 'token_expired'],
    ['exp 61 seconds ago', { exp: now - 61 }, 'token_expired'],
    ['exp as a string', { exp: String(now + 60) }, 'token_claims_malformed'],
    ['exp as a fraction', { exp: now + 0.5 }, 'token_claims_malformed'],
    ['exp negative', { exp: -1 }, 'token_claims_malformed'],
    ['exp beyond all integers', { exp: 1e308 }, 'token_claims_malformed'],
    ['exp null', { exp: null }, 'token_claims_malformed'],
    ['exp in milliseconds', { exp: (now + 60) * 1000 }, 'token_lifetime_too_long'],
    ['nbf beyond the leeway', { nbf: now + verifierLeeway + 1 }, 'token_not_yet_valid'],
    ['nbf 61 seconds ahead', { nbf: now + 61 }, 'token_not_yet_valid'],
    ['nbf as a string', { nbf: String(now) }, 'token_claims_malformed'],
    ['no iat', { iat: undefined }, 'token_claims_malformed'],
    ['iat an hour ahead', { iat: now + 3600, exp: now + 7200 }, 'token_not_yet_valid'],
    ['iat as a string', { iat: String(now) }, 'token_claims_malformed'],
    ['a life of ten years', { exp: now + 315_360_000 }, 'token_lifetime_too_long'],
    ['a life one second too long', { exp: now + maxTokenLifetime + 1 }, 'token_lifetime_too_long'],
    ['no sub', { sub: undefined }, 'token_claims_malformed'],
    ['an empty sub', { sub: '' }, 'token_claims_malformed'],
    ['no client_id', { client_id: undefined }, 'token_claims_malformed'],
    ['client_id as an object', { client_id: {} }, 'token_claims_malformed'],
    ['no jti', { jti: undefined }, 'token_claims_malformed'],
    ['scope as an array', { scope: ['messaging:view'] }, 'token_claims_malformed'],
    ['no trunk group', { service_trunk_group: undefined }, 'token_claims_malformed'],
  ];

  it.each(claims)('is refused: %s', async (_, changed, reason) => {
    expect(await reasonOf(world.verify(`Bearer ${withClaims(changed)}`))).toBe(reason);
  });

  const { kid } = ownKey;
  const headers: readonly [string, Readonly<Record<string, unknown>>, RefusalReason][] = [
    ['no typ', { typ: undefined }, 'token_type_not_allowed'],
    ['typ JWT', { typ: 'JWT' }, 'token_type_not_allowed'],
    ['typ of an id token', { typ: 'id_token' }, 'token_type_not_allowed'],
    ['typ of a DPoP proof', { typ: 'dpop+jwt' }, 'token_type_not_allowed'],
    [
      'typ of a token that proves a signing key',
      { typ: canaryTokenType },
      'token_type_not_allowed',
    ],
    ['typ with a parameter', { typ: 'at+jwt; x=1' }, 'token_type_not_allowed'],
    ['typ as an array', { typ: ['at+jwt'] }, 'token_type_not_allowed'],
    ['crit with an unknown name', { crit: ['foo'], foo: 1 }, 'token_critical_header'],
    ['crit empty', { crit: [] }, 'token_critical_header'],
    ['crit with a registered name', { crit: ['alg'] }, 'token_critical_header'],
    ['crit as a string', { crit: 'b64' }, 'token_critical_header'],
    ['crit null', { crit: null }, 'token_critical_header'],
    ['b64 through crit (RFC 7797)', { crit: ['b64'], b64: false }, 'token_critical_header'],
    ['no kid', { kid: undefined }, 'token_key_id_missing'],
    ['kid empty', { kid: '' }, 'token_key_id_missing'],
    ['kid of 8 KiB', { kid: 'k'.repeat(8 * 1024) }, 'token_key_id_missing'],
    ['kid as a number', { kid: 1 }, 'token_key_id_missing'],
    ['kid as an object', { kid: { toString: kid } }, 'token_key_id_missing'],
    ['kid as an array', { kid: [kid] }, 'token_key_id_missing'],
    ['kid as a path', { kid: '../../dev/null' }, 'token_key_unknown'],
    ['kid as SQL', { kid: "' OR 1=1" }, 'token_key_unknown'],
    ['kid __proto__', { kid: '__proto__' }, 'token_key_unknown'],
    ['kid constructor', { kid: 'constructor' }, 'token_key_unknown'],
    ['kid with NUL', { kid: `${kid}\0` }, 'token_key_unknown'],
    ['kid of another of our keys', { kid: ownEcKey.kid }, 'token_algorithm_not_allowed'],
  ];

  it.each(headers)('is refused: %s', async (_, changed, reason) => {
    expect(await reasonOf(world.verify(`Bearer ${withHeader(changed)}`))).toBe(reason);
  });
});

describe('algorithm confusion (RFC 8725 §3.1)', () => {
  it.each(['none', 'None', 'nOnE', 'NONE', 'HS256', 'rs256', 'RS512', '', 1, null, ['RS256']])(
    'refuses alg %j',
    async (alg) => {
      const token = withHeader({ alg });
      expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_algorithm_not_allowed');
    },
  );

  it.each(['PS256', 'ES256', 'ML-DSA-44'])('refuses %s under an RSA key for RS256', async (alg) => {
    const token = withHeader({ alg });
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_algorithm_not_allowed');
  });

  it.each(['none', 'None', 'nOnE'])('refuses %s without a signature', async (alg) => {
    const token = `${encodeJson({ alg, typ: 'at+jwt', kid: ownKey.kid })}.${encodeJson(ownClaims)}.`;
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_algorithm_not_allowed');
  });

  const pem = String(ownKey.publicKey.export({ format: 'pem', type: 'spki' }));
  const publicForms: readonly [string, string | Buffer][] = [
    ['PEM', pem],
    ['PEM without its last line feed', pem.trim()],
    ['PKCS #1 PEM', ownKey.publicKey.export({ format: 'pem', type: 'pkcs1' })],
    ['DER', ownKey.publicKey.export({ format: 'der', type: 'spki' })],
    ['JWK', JSON.stringify(ownKey.jwk)],
    ['nothing (CVE-2026-44351)', ''],
  ];

  it.each(publicForms)('refuses an HMAC keyed with the public key as %s', async (_, secret) => {
    const input = `${encodeJson({ alg: 'HS256', typ: 'at+jwt', kid: ownKey.kid })}.${encodeJson(ownClaims)}`;
    const token = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_algorithm_not_allowed');
  });

  it.each(publicForms)('refuses that HMAC under the alg of the key, as %s', async (_, secret) => {
    const input = `${encodeJson({ alg: 'RS256', typ: 'at+jwt', kid: ownKey.kid })}.${encodeJson(ownClaims)}`;
    const token = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_signature_wrong');
  });
});

describe('keys that a token brings along (RFC 8725 §3.10)', () => {
  const foreign = createTestKey('RS256');
  const certificate = foreign.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const members: readonly [string, Readonly<Record<string, unknown>>][] = [
    ['jwk', { jwk: foreign.jwk }],
    ['jwk with our kid', { jwk: { ...foreign.jwk, kid: ownKey.kid } }],
    ['jku', { jku: 'https://attacker.example/jwks.json' }],
    ['x5u', { x5u: 'https://attacker.example/cert.pem' }],
    ['x5c', { x5c: [certificate] }],
    ['x5t', { x5t: 'AAAA', 'x5t#S256': 'AAAA' }],
  ];

  it.each(members)('are not used: %s', async (_, header) => {
    const fresh = createWorld();
    const token = signToken(foreign, ownClaims, { ...header, kid: ownKey.kid });
    expect(await reasonOf(fresh.verify(`Bearer ${token}`))).toBe('token_signature_wrong');
    expect(fresh.fetches.map((source) => source.issuer)).toEqual([issuer]);
  });

  it.each(members)('do not spoil a good token: %s', async (_, header) => {
    expect(await world.verify(`Bearer ${withHeader(header)}`)).toMatchObject({ issuer });
  });

  it('are not found by kid in the set of another issuer', async () => {
    const fresh = createWorld();
    const token = signToken(otherKey, ownClaims);
    expect(await reasonOf(fresh.verify(`Bearer ${token}`))).toBe('token_key_unknown');
  });
});

describe('signatures', () => {
  const token = signToken(ownEcKey, ownClaims);
  const input = token.slice(0, token.lastIndexOf('.'));
  const good = Buffer.from(token.slice(input.length + 1), 'base64url');
  const order = Buffer.from(
    'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
    'hex',
  );
  const zero = Buffer.alloc(32);
  const r = good.subarray(0, 32);
  const s = good.subarray(32);
  const der = sign('sha256', Buffer.from(input), ownEcKey.privateKey);

  const wrong: readonly [string, Uint8Array][] = [
    ['r and s zero (CVE-2022-21449)', Buffer.alloc(64)],
    ['r zero', Buffer.concat([zero, s])],
    ['s zero', Buffer.concat([r, zero])],
    ['r the order', Buffer.concat([order, s])],
    ['s the order', Buffer.concat([r, order])],
    ['r and s the order', Buffer.concat([order, order])],
    ['all ones', Buffer.alloc(64, 0xff)],
    ['one byte short', good.subarray(0, 63)],
    ['one byte long', Buffer.concat([good, Buffer.alloc(1)])],
    ['padded to P-384', Buffer.concat([Buffer.alloc(16), r, Buffer.alloc(16), s])],
    ['DER', der],
    ['empty', Buffer.alloc(0)],
    ['one bit flipped', good.with(10, (good[10] ?? 0) ^ 1)],
    ['s and r exchanged', Buffer.concat([s, r])],
  ];

  it('verifies the good one', async () => {
    expect(await world.verify(`Bearer ${token}`)).toMatchObject({ issuer });
  });

  it.each(wrong)('refuses: %s', async (_, signature) => {
    const changed = `${input}.${Buffer.from(signature).toString('base64url')}`;
    expect(await reasonOf(world.verify(`Bearer ${changed}`))).toBe('token_signature_wrong');
  });

  it('refuses the signature of another token', async () => {
    const other = signToken(ownEcKey, { ...ownClaims, jti: 'jti-2' });
    const mixed = `${input}.${other.slice(other.lastIndexOf('.') + 1)}`;
    expect(await reasonOf(world.verify(`Bearer ${mixed}`))).toBe('token_signature_wrong');
  });

  it('refuses a token whose payload was exchanged', async () => {
    const [header, , signature] = token.split('.');
    const payload = encodeJson({ ...ownClaims, scope: 'admin:all' });
    const mixed = `${header}.${payload}.${signature}`;
    expect(await reasonOf(world.verify(`Bearer ${mixed}`))).toBe('token_signature_wrong');
  });

  it('are those of the parts as received, not of the JSON in them', async () => {
    const spaced = Buffer.from(JSON.stringify(ownClaims, undefined, 2)).toString('base64url');
    const header = encodeJson({ alg: 'ES256', kid: ownEcKey.kid, typ: 'at+jwt' });
    expect(await world.verify(`Bearer ${signParts(ownEcKey, header, spaced)}`)).toMatchObject({
      issuer,
    });
  });
});
