import { createPublicKey, hash, type JsonWebKey } from 'node:crypto';
import { type Alg, signingAlgorithms } from '../../contract/signing-algorithms.ts';
import type { PublicJwk } from './signing-key.ts';

/** A public key that must not be part of the JWKS. */
export class PublicKeyError extends Error {
  override readonly name = 'PublicKeyError';
}

/** RFC 7518 §3.3: a key of 2048 bits or more. */
const minModulusBits = 2048;
/** F4, 65537: the exponent of every KMS key, and the only one that every verifier accepts. */
const publicExponent = 'AQAB';

function exportJwk(spki: Uint8Array): JsonWebKey {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }).export({
      format: 'jwk',
    });
  } catch (cause) {
    throw new PublicKeyError('the bytes are not a public key in SPKI form', { cause });
  }
}

function readRsa(jwk: JsonWebKey, alg: Alg): KeyMaterial {
  const { n = '', e = '' } = jwk;
  const bits = Buffer.from(n, 'base64url').length * 8;
  if (bits < minModulusBits || e !== publicExponent) {
    throw new PublicKeyError(
      `received an RSA key of ${bits} bits with exponent ${e} for ${alg}; allowed: ${minModulusBits} bits or more with ${publicExponent}`,
    );
  }
  return { kty: 'RSA', n, e };
}

function readEc(jwk: JsonWebKey, alg: Alg): KeyMaterial {
  const { crv = '', x = '', y = '' } = jwk;
  const allowed = signingAlgorithms[alg].crv;
  if (crv !== allowed) {
    throw new PublicKeyError(`received curve ${crv} for ${alg}; allowed: ${allowed}`);
  }
  return { kty: 'EC', crv, x, y };
}

function readAkp(jwk: JsonWebKey, alg: Alg): KeyMaterial {
  const { alg: own, pub } = jwk as { readonly alg?: string; readonly pub?: string };
  if (own !== alg || pub === undefined) {
    throw new PublicKeyError(`received a key for ${own}; allowed: ${alg}`);
  }
  return { kty: 'AKP', alg, pub };
}

const readers = { RSA: readRsa, EC: readEc, AKP: readAkp } as const;

/**
 * Makes the JWK that is published for a signing key, from the SPKI bytes of KMS `GetPublicKey`. Its
 * `kid` is its thumbprint (RFC 7638), so no two keys share one.
 *
 * @throws {PublicKeyError} if the key is not one that `alg` may use.
 */
export function publicJwkFromSpki(spki: Uint8Array, alg: Alg): PublicJwk {
  const jwk = exportJwk(spki);
  const { kty } = signingAlgorithms[alg];
  if (jwk.kty !== kty) {
    throw new PublicKeyError(`received a key of type ${jwk.kty} for ${alg}; allowed: ${kty}`);
  }
  const material = readers[kty](jwk, alg);
  return { ...material, kid: thumbprint(material), alg, use: 'sig' } as PublicJwk;
}

/** A public key's own members, before it has a `kid`. */
type KeyMaterial =
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }
  | { readonly kty: 'EC'; readonly crv: string; readonly x: string; readonly y: string }
  | { readonly kty: 'AKP'; readonly alg: string; readonly pub: string };

/** The required members in lexicographic order (RFC 7638 §3.2; RFC 9964 §6 for AKP). */
const requiredMembers = {
  RSA: ['e', 'kty', 'n'],
  EC: ['crv', 'kty', 'x', 'y'],
  AKP: ['alg', 'kty', 'pub'],
} as const satisfies Record<KeyMaterial['kty'], readonly string[]>;

/** JWK thumbprint with SHA-256 (RFC 7638), as base64url: a signing key's `kid`. */
export function thumbprint(key: KeyMaterial): string {
  const canonical = JSON.stringify(key, [...requiredMembers[key.kty]]);
  return hash('sha256', canonical, 'base64url');
}
