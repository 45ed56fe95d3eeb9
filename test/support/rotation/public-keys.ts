import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { type Alg, signingAlgorithms } from '../../../contract/signing-algorithms.ts';

/** One algorithm of each family that a simulated KMS makes keys for. */
export const modelAlgs = ['ES256', 'RS256', 'ML-DSA-65'] as const satisfies readonly Alg[];

/** An algorithm that a simulated KMS makes keys for. */
export type ModelAlg = (typeof modelAlgs)[number] | 'ES384';

const toSpki = { format: 'der', type: 'spki' } as const;

/** A modulus that no one knows the factors of: a key without a private half takes no time. */
function makeRsaKey(): Uint8Array {
  const modulus = randomBytes(256);
  modulus[0] = (modulus[0] ?? 0) | 0x80;
  modulus[255] = (modulus[255] ?? 0) | 1;
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  return createPublicKey({ key: jwk, format: 'jwk' }).export(toSpki);
}

const makers: Readonly<Record<ModelAlg, () => Uint8Array>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export(toSpki),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export(toSpki),
  RS256: makeRsaKey,
  'ML-DSA-65': () => generateKeyPairSync('ml-dsa-65').publicKey.export(toSpki),
};

const pools = new Map<ModelAlg, Uint8Array[]>();

/** The n-th public key of an algorithm: histories share them, because making one takes time. */
export function pooledPublicKey(alg: ModelAlg, n: number): Uint8Array {
  const pool = pools.get(alg) ?? [];
  pools.set(alg, pool);
  while (pool.length <= n) pool.push(makers[alg]());
  return pool[n] ?? new Uint8Array();
}

export function isModelAlg(alg: Alg): alg is ModelAlg {
  return alg in makers;
}

export function kmsKeySpecOf(alg: ModelAlg): string {
  return signingAlgorithms[alg].kmsKeySpec;
}
