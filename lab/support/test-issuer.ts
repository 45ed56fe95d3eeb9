import type { KeyObject } from 'node:crypto';
import type { Alg } from '../../contract/signing-algorithms.ts';
import { publicJwkFromSpki } from '../../core/signing-key/public-jwk.ts';
import type { PublicJwk } from '../../core/signing-key/signing-key.ts';
import { generateKeyPair, signAs } from './key-pairs.ts';

export function encodeJson(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** One key of an issuer that tests sign tokens with. */
export interface TestKey {
  readonly alg: Alg;
  readonly kid: string;
  readonly jwk: PublicJwk;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export function createTestKey(alg: Alg): TestKey {
  const pair = generateKeyPair(alg);
  const jwk = publicJwkFromSpki(pair.publicKey.export({ format: 'der', type: 'spki' }), alg);
  return { alg, kid: jwk.kid, jwk, ...pair };
}

/** Signs parts that may be anything, also what is no JSON. */
export function signParts(key: TestKey, header: string, payload: string): string {
  const input = `${header}.${payload}`;
  const signature = signAs(key.alg, key.privateKey, Buffer.from(input));
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}

/** A token under `key`. Members of `header` and `claims` that are undefined are left out. */
export function signToken(
  key: TestKey,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): string {
  const full = { alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header };
  return signParts(key, encodeJson(full), encodeJson(claims));
}
