import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Alg, algs } from '../../../contract/signing-algorithms.ts';
import {
  PublicKeyError,
  publicJwkFromSpki,
  thumbprint,
} from '../../../core/signing-key/public-jwk.ts';
import { generateKeyPair } from '../../../lab/support/key-pairs.ts';

function spki(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

describe('thumbprint', () => {
  it('gives the example of RFC 7638 §3.1', () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
    expect(thumbprint({ kty: 'RSA', n, e: 'AQAB' })).toBe(
      'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
    );
  });
});

describe('public JWK of a signing key', () => {
  it.each(algs)('%s: has the material, kid, alg and use, and no more', async (alg) => {
    const { publicKey } = generateKeyPair(alg);
    const jwk = publicJwkFromSpki(spki(publicKey), alg);
    const { kid, use, alg: jwkAlg, ...material } = jwk;
    const own = publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
    expect({ ...own, alg }).toEqual({ ...material, alg });
    expect({ use, jwkAlg }).toEqual({ use: 'sig', jwkAlg: alg });
    expect(kid).toBe(await calculateJwkThumbprint(own as never, 'sha256'));
  });

  it.each([
    ['an EC key for RS256', generateKeyPair('ES256').publicKey, 'RS256', 'allowed: RSA'],
    ['a P-384 key for ES256', generateKeyPair('ES384').publicKey, 'ES256', 'allowed: P-256'],
    [
      'ML-DSA-44 for ML-DSA-65',
      generateKeyPair('ML-DSA-44').publicKey,
      'ML-DSA-65',
      'allowed: ML-DSA-65',
    ],
    [
      'an RSA key of 1024 bits',
      generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey,
      'RS256',
      'allowed: 2048 bits',
    ],
    [
      'an RSA key with exponent 3',
      generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).publicKey,
      'RS256',
      'with AQAB',
    ],
  ] as [string, KeyObject, Alg, string][])('refuses %s', (_name, key, alg, allowed) => {
    const make = () => publicJwkFromSpki(spki(key), alg);
    expect(make).toThrow(PublicKeyError);
    expect(make).toThrow(allowed);
  });

  it('refuses bytes that are no key', () => {
    expect(() => publicJwkFromSpki(Buffer.from('no key'), 'RS256')).toThrow(PublicKeyError);
  });
});
