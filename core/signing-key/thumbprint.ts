import { createHash } from 'node:crypto';

/** A public key's own members, before it has a `kid`. */
export type KeyMaterial =
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
  return createHash('sha256').update(canonical).digest('base64url');
}
