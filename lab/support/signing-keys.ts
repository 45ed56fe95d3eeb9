import type { RegionId } from '../../contract/regions.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import type { Sign } from '../../core/signing-key/sign-jws.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';
import { type KeyPair, signAs } from './key-pairs.ts';
import { createTestKey } from './test-issuer.ts';

export interface TestKey {
  readonly key: SigningKey;
  readonly pair: KeyPair;
}

/** A signing key record with a real key pair; `overrides` say what is special about it. */
export function makeSigningKey(alg: Alg = 'ES256', overrides: Partial<SigningKey> = {}): TestKey {
  const { jwk: publicJwk, publicKey, privateKey } = createTestKey(alg);
  const key: SigningKey = {
    kid: publicJwk.kid,
    regionId: 'slc' satisfies RegionId,
    alg,
    kmsKeyArn: `arn:aws:kms:us-west-2:111122223333:key/${publicJwk.kid}`,
    publicJwk,
    state: 'current',
    publishedAt: 1_000,
    activatedAt: 2_000,
    version: 1,
    ...overrides,
  };
  return { key, pair: { publicKey, privateKey } };
}

/** Signs with the private halves of the given keys, as KMS would. */
export function signWithKeys(...keys: readonly TestKey[]): Sign {
  const byArn = new Map(keys.map(({ key, pair }) => [key.kmsKeyArn, pair]));
  return async (key, signingInput) => {
    const pair = byArn.get(key.kmsKeyArn);
    if (pair === undefined) throw new Error(`no such key: ${key.kmsKeyArn}`);
    return signAs(key.alg, pair.privateKey, signingInput);
  };
}

/** Only the record, with an ARN that KMS would give. */
export function exampleSigningKey(alg: Alg, more: Partial<SigningKey> = {}): SigningKey {
  return makeSigningKey(alg, {
    kmsKeyArn: 'arn:aws:kms:us-west-2:000000000000:key/11111111-2222-3333-4444-555555555555',
    publishedAt: 1_800_000_000,
    activatedAt: 1_800_000_000,
    ...more,
  }).key;
}
