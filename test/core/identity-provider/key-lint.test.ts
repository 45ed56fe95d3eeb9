import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  hasRocaFingerprint,
  KeySetError,
  lintKeySet,
} from '../../../core/identity-provider/key-lint.ts';

function jwk(type: 'rsa' | 'ec' | 'ed25519' | 'ml-dsa-44', bits = 2048): JsonWebKey {
  const pair =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: bits })
      : type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync(type as 'ed25519');
  return pair.publicKey.export({ format: 'jwk' });
}

const rsa = { ...jwk('rsa'), kid: 'a', alg: 'RS256', use: 'sig' };
const ec = { ...jwk('ec'), kid: 'b', alg: 'ES256', use: 'sig' };
const encode = (value: bigint) => {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
};

/** A number of the form that CVE-2017-15361's primes have. Not a prime: the form is what counts. */
function rocaFactor(seed: bigint): bigint {
  const product = [
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
  ].reduce((result, prime) => result * BigInt(prime), 1n);
  let power = 1n;
  for (let i = 0n; i < seed; i++) power = (power * 65_537n) % product;
  return (2n ** 1024n / product) * product + seed * product + power;
}

const rocaModulus = rocaFactor(1234n) * rocaFactor(777n);

describe('a key set of a provider', () => {
  it('gives its signature keys, only with public members', () => {
    const { keys, skipped } = lintKeySet(
      { keys: [{ ...rsa, x5c: ['x'], issuer: 'y' }, ec] },
      undefined,
    );
    expect(skipped).toEqual([]);
    expect(keys).toEqual([
      { kid: 'a', alg: 'RS256', kty: 'RSA', n: rsa.n, e: 'AQAB' },
      { kid: 'b', alg: 'ES256', kty: 'EC', crv: 'P-256', x: ec.x, y: ec.y },
    ]);
  });

  it.each([
    ['ed25519', 'Ed25519'],
    ['ed25519', 'EdDSA'],
    ['ml-dsa-44', 'ML-DSA-44'],
  ] as const)('may hold %s keys for %s', (type, alg) => {
    const { keys } = lintKeySet({ keys: [{ ...jwk(type), kid: 'a', alg }] }, undefined);
    expect(keys.map((key) => key.alg)).toEqual([alg]);
  });

  it('gives a key without alg the only algorithm that the provider uses for its type', () => {
    const { alg: _, ...plain } = rsa;
    expect(lintKeySet({ keys: [plain] }, ['RS256', 'ES256']).keys[0]?.alg).toBe('RS256');
  });

  it.each([
    ['an encryption key', { ...jwk('rsa'), kid: 'x', use: 'enc', alg: 'RSA-OAEP' }, 'it encrypts'],
    [
      'an unknown algorithm',
      { kty: 'XX', kid: 'x', alg: 'X1' },
      'its alg is not one that is supported',
    ],
    ['no kid', { ...jwk('ec'), alg: 'ES256' }, 'it has no kid'],
    [
      'an algorithm that the provider does not name',
      { ...jwk('ec'), kid: 'x', alg: 'ES256' },
      'its alg ES256 is not one that the provider says it uses',
    ],
  ])('leaves out a key with %s', (_, key, reason) => {
    const { keys, skipped } = lintKeySet({ keys: [rsa, key] }, ['RS256']);
    expect(keys.map(({ kid }) => kid)).toEqual(['a']);
    expect(skipped.map((entry) => entry.reason)).toEqual([reason]);
  });

  const { alg: _alg, ...withoutAlg } = rsa;
  it.each<[string, object, string]>([
    ['a private key', { ...ec, d: 'AA' }, 'it holds the secret member d'],
    ['a private ML-DSA key', { ...jwk('ml-dsa-44'), kid: 'x', priv: 'AA' }, 'secret member priv'],
    ['an encryption key with its private half', { ...rsa, use: 'enc', d: 'AA' }, 'secret member d'],
    ['a symmetric key', { kty: 'oct', kid: 'x', alg: 'HS256', k: 'AA' }, 'secret member k'],
    ['a symmetric key without value', { kty: 'oct', kid: 'x' }, 'it is a symmetric key'],
    ['no alg and 1024 bits', { ...jwk('rsa', 1024), kid: 'x' }, 'its modulus has 1024 bits'],
    ['no alg and exponent 3', { ...withoutAlg, kid: 'x', e: 'Aw' }, 'its exponent is 3'],
    ['no alg and a ROCA modulus', { ...withoutAlg, n: encode(rocaModulus) }, 'CVE-2017-15361'],
    ['no alg and its private half', { ...withoutAlg, kid: 'x', d: 'AA' }, 'the secret member d'],
    ['its kid and a private half', { ...ec, kid: 'a', d: 'AA' }, 'the secret member d'],
    ['its kid and 1024 bits', { ...jwk('rsa', 1024), kid: 'a', alg: 'RS256' }, 'has 1024 bits'],
    ['a copy with a private half', { ...rsa, d: 'AA' }, 'the secret member d'],
    ['1024 bits', { ...jwk('rsa', 1024), kid: 'x', alg: 'RS256' }, 'its modulus has 1024 bits'],
    ['exponent 1', { ...rsa, kid: 'x', e: 'AQ' }, 'its exponent is 1, 65537 is usual'],
    ['exponent 3', { ...rsa, kid: 'x', e: 'Aw' }, 'its exponent is 3, 65537 is usual'],
    ['an even exponent', { ...rsa, kid: 'x', e: encode(65_538n) }, 'its exponent is 65538'],
    ['an even modulus', { ...rsa, kid: 'x', n: encode(2n ** 2047n) }, 'its modulus is even'],
    ['a ROCA modulus', { ...rsa, kid: 'x', n: encode(rocaModulus) }, 'CVE-2017-15361'],
    ['a point off the curve', { ...ec, y: ec.x }, 'it is not a valid EC public key'],
    ...[
      '0000000000000000000000000000000000000000000000000000000000000000',
      '0100000000000000000000000000000000000000000000000000000000000000',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    ].flatMap((hex) =>
      [0, 0x80].map((sign): [string, object, string] => {
        const point = Buffer.from(hex, 'hex');
        point[31] = (point[31] ?? 0) | sign;
        const x = point.toString('base64url');
        const what = `the Ed25519 point ${point.toString('hex')} of small order`;
        const reason = /^e[de]f/.test(hex) ? 'its y coordinate' : 'its point has a small order';
        return [what, { kty: 'OKP', crv: 'Ed25519', kid: 'x', alg: 'EdDSA', x }, reason];
      }),
    ),
  ])('is refused whole for a key with %s', (_, key, problem) => {
    const lint = () => lintKeySet({ keys: [rsa, key] }, ['RS256', 'PS256', 'ES256', 'EdDSA']);
    expect(lint).toThrow(KeySetError);
    expect(lint).toThrow(problem);
  });

  it.each<[string, object, string]>([
    ['a use of its own', { ...ec, use: 'tls' }, 'its use is not "sig"'],
    ['a key to sign with', { ...ec, key_ops: ['sign'] }, 'its key_ops do not name "verify"'],
    ['key_ops that are no list', { ...ec, key_ops: 'verify' }, 'its key_ops do not name "verify"'],
    ['a numeric kid', { ...ec, kid: 7 }, 'its kid is not a string of 1 to 256 characters'],
    [
      'an endless kid',
      { ...ec, kid: 'x'.repeat(257) },
      'its kid is not a string of 1 to 256 characters',
    ],
    ['an alg of another type', { ...rsa, kid: 'x', alg: 'ES256' }, 'its type does not fit ES256'],
    ['an alg that is no string', { ...rsa, kid: 'x', alg: 7 }, 'its alg is not a string'],
    [
      'a modulus with padding',
      { ...rsa, kid: 'x', n: `${rsa.n}=` },
      'its member n is not base64url',
    ],
    ['a missing coordinate', { ...ec, y: undefined }, 'its member y is not base64url'],
    [
      'a modulus of 9000 bits',
      { ...rsa, kid: 'x', n: encode(2n ** 8999n + 1n) },
      'its modulus has 9000 bits, 8192 are allowed',
    ],
    [
      'an exponent that fills the document, without writing it out',
      { ...rsa, kid: 'x', e: 'q'.repeat(250_000) },
      'its exponent has 1500000 bits, 65537 is usual',
    ],
    [
      'an exponent of 65 bits',
      { ...rsa, kid: 'x', e: encode(2n ** 64n + 1n) },
      `its exponent is ${2n ** 64n + 1n}, 65537 is usual`,
    ],
    ['an empty kid', { ...ec, kid: '' }, 'its kid is not a string of 1 to 256 characters'],
    ['no alg', { ...ec, alg: undefined, crv: 'P-521' }, 'it has no alg'],
  ])('leaves out a key with %s', (_, key, reason) => {
    const allowed = ['RS256', 'PS256', 'ES256'] as const;
    const { keys, skipped } = lintKeySet({ keys: [rsa, key] }, allowed);
    expect(keys.map(({ kid }) => kid)).toEqual(['a']);
    expect(skipped.map((entry) => entry.reason)).toEqual([reason]);
    expect(() => lintKeySet({ keys: [key] }, allowed)).toThrow(
      `it has no key that verifies signatures (key 1 (`,
    );
  });

  describe('with ambiguous keys', () => {
    const all = ['RS256', 'PS256', 'ES256'] as const;
    const other = { ...jwk('rsa'), kid: 'a', alg: 'RS256' };
    const { alg: _, ...plain } = other;
    const unclear = 'it has no alg, and it could be a key for RS256 or PS256: --algorithm decides';
    const conflict = 'another key has the same kid';

    it.each<[string, readonly object[], readonly string[], readonly string[]]>([
      [
        'each key twice, as PingFederate',
        [withoutAlg, { ...rsa, kid: 'a_RS256' }],
        ['a_RS256'],
        [unclear],
      ],
      ['no alg next to another', [{ ...plain, kid: 'x' }, rsa], ['a'], [unclear]],
      [
        'one key for two alg, as ForgeRock AM',
        [rsa, { ...rsa, alg: 'PS256' }, ec],
        ['b'],
        [conflict, conflict],
      ],
      ['two keys with one kid', [rsa, other, ec], ['b'], [conflict, conflict]],
      ['two types with one kid', [rsa, { ...ec, kid: 'a' }, ec], ['b'], [conflict, conflict]],
      [
        'three keys with one kid',
        [rsa, other, { ...ec, kid: 'a' }, ec],
        ['b'],
        [conflict, conflict, conflict],
      ],
      ['a copy and a conflict', [rsa, rsa, other, ec], ['b'], [conflict, conflict]],
      ['a copy', [rsa, { ...rsa, x5c: ['x'] }], ['a'], []],
      [
        'an encryption key of its kid',
        [rsa, { ...rsa, use: 'enc', alg: 'RSA-OAEP' }],
        ['a'],
        ['it encrypts'],
      ],
    ])('leaves only those out: %s', (_what, set, kids, reasons) => {
      const { keys, skipped } = lintKeySet({ keys: set }, all);
      expect(keys.map(({ kid }) => kid)).toEqual(kids);
      expect(skipped.map(({ reason }) => reason)).toEqual(reasons);
    });

    it.each<[string, readonly object[], string]>([
      ['none is clear', [withoutAlg], `key 1 ("a"): ${unclear}`],
      ['all conflict', [rsa, other], `key 1 ("a"): ${conflict}; key 2 ("a"): ${conflict}`],
    ])('is refused if %s', (_what, set, problem) => {
      expect(() => lintKeySet({ keys: set }, all)).toThrow(problem);
    });

    it.each<[string, readonly object[], readonly string[]]>([
      ['without alg', [withoutAlg, { ...rsa, kid: 'a_RS256' }], ['a', 'a_RS256']],
      ['of ForgeRock AM', ['RS256', 'RS384', 'RS512'].map((alg) => ({ ...rsa, alg })), ['a']],
    ])('takes keys %s for the one algorithm that is chosen', (_what, set, kids) => {
      const { keys } = lintKeySet({ keys: set }, ['RS256']);
      expect(keys.map(({ kid, alg }) => [kid, alg])).toEqual(kids.map((kid) => [kid, 'RS256']));
    });
  });

  it('takes Ed25519 keys of full order', () => {
    for (let count = 0; count < 50; count += 1) {
      const key = { ...jwk('ed25519'), kid: 'x', alg: 'EdDSA' };
      expect(lintKeySet({ keys: [key] }, undefined).keys).toHaveLength(1);
    }
  });

  it.each<[string, unknown, string]>([
    ['is no object', 'keys', 'it is not a JWK set'],
    ['has no keys member', {}, 'it is not a JWK set'],
    ['holds what is no key', { keys: [null] }, 'it is not a JWK set'],
    ['is empty', { keys: [] }, 'it has no key that verifies signatures'],
    ['has 101 keys', { keys: Array.from({ length: 101 }, () => rsa) }, 'it has 101 keys'],
  ])('is refused if it %s', (_, document, problem) => {
    expect(() => lintKeySet(document, undefined)).toThrow(problem);
  });

  it('does not name the members of an alien prototype', () => {
    const hostile: unknown = JSON.parse('{"keys":[{"kty":"RSA","kid":"x","alg":"__proto__"}]}');
    expect(() => lintKeySet(hostile, undefined)).toThrow('no key that verifies');
  });
});

describe('the fingerprint of CVE-2017-15361', () => {
  it('is on a modulus of that form and on no sound one', () => {
    expect(hasRocaFingerprint(rocaModulus)).toBe(true);
    const sound = BigInt(`0x${Buffer.from(rsa.n ?? '', 'base64url').toString('hex')}`);
    expect(hasRocaFingerprint(sound)).toBe(false);
  });
});
