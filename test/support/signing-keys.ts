import { type Alg } from '../../contract/signing-algorithms.ts';
import { publicJwkFromSpki } from '../../core/signing-key/public-jwk.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';
import { generateKeyPair } from './key-pairs.ts';

/** A current signing key of `slc` with a real public key. */
export function exampleSigningKey(alg: Alg, more: Partial<SigningKey> = {}): SigningKey {
  const spki = generateKeyPair(alg).publicKey.export({ format: 'der', type: 'spki' });
  const publicJwk = publicJwkFromSpki(spki, alg);
  return {
    kid: publicJwk.kid,
    regionId: 'slc',
    alg,
    kmsKeyArn: 'arn:aws:kms:us-west-2:000000000000:key/11111111-2222-3333-4444-555555555555',
    publicJwk,
    state: 'current',
    publishedAt: 1_800_000_000,
    activatedAt: 1_800_000_000,
    version: 1,
    ...more,
  };
}
