import { createECDH, createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { type Alg, signingAlgorithms } from '../../../../contract/signing-algorithms.ts';

/** One algorithm of each family that a simulated KMS makes keys for. */
export const modelAlgs = ['ES256', 'RS256', 'ML-DSA-65'] as const satisfies readonly Alg[];

/** An algorithm that a simulated KMS makes keys for. */
export type ModelAlg = (typeof modelAlgs)[number] | 'ES384';

const toSpki = { format: 'der', type: 'spki' } as const;

/** Bytes that are the same in every process: a key's kid orders keys, and seeds random choices. */
function bytesOf(name: string, length: number): Buffer {
  return createHash('shake256', { outputLength: length }).update(name).digest();
}

function fromJwk(jwk: Readonly<Record<string, string>>): Uint8Array {
  return createPublicKey({ key: jwk, format: 'jwk' }).export(toSpki);
}

/** A modulus that no one knows the factors of: a key without a private half takes no time. */
function makeRsaKey(n: number): Uint8Array {
  const modulus = bytesOf(`RSA ${n}`, 256);
  modulus[0] = (modulus[0] ?? 0) | 0x80;
  modulus[255] = (modulus[255] ?? 0) | 1;
  return fromJwk({ kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' });
}

function makeEcKey(crv: string, curve: string, size: number, n: number): Uint8Array {
  const ecdh = createECDH(curve);
  // One byte less than the order of the curve has: a scalar of this length is always below it.
  ecdh.setPrivateKey(bytesOf(`${crv} ${n}`, size - 1));
  const point = ecdh.getPublicKey();
  const coordinate = (at: number) => point.subarray(at, at + size).toString('base64url');
  return fromJwk({ kty: 'EC', crv, x: coordinate(1), y: coordinate(1 + size) });
}

/** Length of an ML-DSA-65 public key (FIPS 204 table 2); any bytes of this length are one. */
const mlDsaKeyBytes = 1952;
const mlDsaHeader = generateKeyPairSync('ml-dsa-65')
  .publicKey.export(toSpki)
  .subarray(0, -mlDsaKeyBytes);

const makers: Readonly<Record<ModelAlg, (n: number) => Uint8Array>> = {
  ES256: (n) => makeEcKey('P-256', 'prime256v1', 32, n),
  ES384: (n) => makeEcKey('P-384', 'secp384r1', 48, n),
  RS256: makeRsaKey,
  'ML-DSA-65': (n) => Buffer.concat([mlDsaHeader, bytesOf(`ML-DSA ${n}`, mlDsaKeyBytes)]),
};

const pools = new Map<ModelAlg, Uint8Array[]>();

/** The n-th public key of an algorithm: histories share them, because making one takes time. */
export function pooledPublicKey(alg: ModelAlg, n: number): Uint8Array {
  const pool = pools.get(alg) ?? [];
  pools.set(alg, pool);
  while (pool.length <= n) pool.push(makers[alg](pool.length));
  return pool[n] ?? new Uint8Array();
}

export function isModelAlg(alg: Alg): alg is ModelAlg {
  return alg in makers;
}

export function kmsKeySpecOf(alg: ModelAlg): string {
  return signingAlgorithms[alg].kmsKeySpec;
}
