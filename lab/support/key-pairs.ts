import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type Alg, signingAlgorithms } from '../../contract/signing-algorithms.ts';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A real key pair for a signing algorithm. */
export function generateKeyPair(alg: Alg): KeyPair {
  const { kty, crv } = signingAlgorithms[alg] as { kty: string; crv?: string };
  if (kty === 'RSA') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  if (kty === 'EC') return generateKeyPairSync('ec', { namedCurve: crv ?? '' });
  return generateKeyPairSync(alg.toLowerCase() as 'ml-dsa-44');
}

/** Signs as JWS wants it: ECDSA as R‖S, PSS with a salt of the digest's length. */
export function signAs(alg: Alg, privateKey: KeyObject, input: Uint8Array): Uint8Array {
  const { digest } = signingAlgorithms[alg] as { digest?: string };
  if (alg === 'PS256') {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
    return sign(digest, input, { key: privateKey, padding, saltLength });
  }
  return sign(digest ?? null, input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
}
