import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../contract/json-object.ts';
import { ownValue } from '../../contract/own-value.ts';
import type { ProofAlg } from '../../contract/proof-algorithms.ts';
import { providerAlgorithms } from '../identity-provider/provider-algorithms.ts';

/** A key that must not be used. The message never contains the key. */
export class PublicJwkError extends Error {
  override readonly name = 'PublicJwkError';
}

/** The required members in lexicographic order (RFC 7638 §3.2; RFC 8037 §2 for OKP). */
const requiredMembers: Readonly<Record<string, readonly string[]>> = {
  RSA: ['e', 'kty', 'n'],
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
};

/** RFC 7518 §6: private and symmetric members. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** RFC 7518 §3.3. A longer one would cost each check more than any other key. */
const modulusBits = { least: 2048, most: 4096 } as const;

const base64url = /^[A-Za-z0-9_-]+$/;

type Members = Readonly<Record<string, string>>;

/** The members that make the key. Others, such as `kid` and `use`, are ignored. */
function readMembers(jwk: unknown): Members {
  if (!isJsonObject(jwk)) throw new PublicJwkError('the key is not a JWK');
  const names = ownValue(requiredMembers, jwk['kty']);
  if (names === undefined) throw new PublicJwkError('the type of the key is not accepted');
  if (secretMembers.some((name) => Object.hasOwn(jwk, name))) {
    throw new PublicJwkError('the key is private');
  }
  return Object.fromEntries(names.map((name) => [name, readMember(jwk, name)]));
}

function readMember(jwk: JsonObject, name: string): string {
  const value = jwk[name];
  if (typeof value !== 'string') throw new PublicJwkError(`the key lacks ${name}`);
  const isText = name === 'kty' || name === 'crv';
  // One spelling of a key has one thumbprint.
  const isCanonical =
    base64url.test(value) && Buffer.from(value, 'base64url').toString('base64url') === value;
  if (!isText && !isCanonical) throw new PublicJwkError(`${name} of the key is not base64url`);
  return value;
}

function checkRsa(key: KeyObject): void {
  const { modulusLength: bits = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  const { least, most } = modulusBits;
  if (bits >= least && bits <= most && publicExponent === 65_537n) return;
  throw new PublicJwkError(`the RSA key is not of ${least} to ${most} bits with exponent 65537`);
}

/** A public key as a caller sends it. */
export interface CallerKey {
  /** RFC 7638. */
  readonly thumbprint: string;
  /**
   * @throws {PublicJwkError} if the key is weak, not one for `alg`, or no point of its curve.
   */
  toKey(alg: ProofAlg): KeyObject;
}

/** @throws {PublicJwkError} if the value is not a public key of a known type. */
export function readPublicJwk(jwk: unknown): CallerKey {
  const members = readMembers(jwk);
  return {
    thumbprint: hash('sha256', JSON.stringify(members), 'base64url'),
    toKey(alg) {
      const { kty, crv } = providerAlgorithms[alg];
      if (members['kty'] !== kty || members['crv'] !== crv) {
        throw new PublicJwkError(`the key is not one for ${alg}`);
      }
      const key = createKey(members);
      if (kty === 'RSA') checkRsa(key);
      return key;
    },
  };
}

function createKey(members: Members): KeyObject {
  try {
    return createPublicKey({ key: members, format: 'jwk' });
  } catch (cause) {
    throw new PublicJwkError('the key is not a point of its curve', { cause });
  }
}
