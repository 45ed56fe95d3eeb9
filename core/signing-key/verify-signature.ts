import {
  constants,
  createPublicKey,
  type KeyObject,
  type VerifyKeyObjectInput,
  verify,
} from 'node:crypto';
import { type Alg, signingAlgorithms } from '../../contract/signing-algorithms.ts';
import type { PublicJwk } from './signing-key.ts';

type VerifyOptions = Omit<VerifyKeyObjectInput, 'key'>;

const pkcs1: VerifyOptions = { padding: constants.RSA_PKCS1_PADDING };
/** RFC 7518 §3.5: the salt is as long as the digest. */
const pss: VerifyOptions = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};
const rawEcdsa: VerifyOptions = { dsaEncoding: 'ieee-p1363' };

const optionsByAlg: Readonly<Record<Alg, VerifyOptions>> = {
  RS256: pkcs1,
  PS256: pss,
  ES256: rawEcdsa,
  ES384: rawEcdsa,
  'ML-DSA-44': {},
  'ML-DSA-65': {},
  'ML-DSA-87': {},
};

/** Reading an RSA key costs as much as verifying with it. */
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
  return verify(
    signingAlgorithms[jwk.alg].digest ?? null,
    signingInput,
    { key: keyObjectOf(jwk), ...optionsByAlg[jwk.alg] },
    signature,
  );
}
