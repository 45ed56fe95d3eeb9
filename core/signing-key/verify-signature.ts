import { createPublicKey, type KeyObject } from 'node:crypto';
import { isSignatureValid } from '../jws/jws-signature.ts';
import type { PublicJwk } from './signing-key.ts';

/** Importing an RSA key costs as much as one verification. */
const keyObjects = new WeakMap<PublicJwk, KeyObject>();

function keyObjectOf(jwk: PublicJwk): KeyObject {
  const known = keyObjects.get(jwk);
  if (known !== undefined) return known;
  const created = createPublicKey({ key: jwk, format: 'jwk' });
  keyObjects.set(jwk, created);
  return created;
}

/** Whether a JWS signature is that of the public key's private half over the signing input. */
export function verifySignature(
  jwk: PublicJwk,
  signingInput: Uint8Array,
  signature: Uint8Array,
): boolean {
  return isSignatureValid(jwk.alg, keyObjectOf(jwk), signingInput, signature);
}
