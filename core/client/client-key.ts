import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isJsonObject } from '../../contract/json-object.ts';
import { type ClientKeyAlg, clientKeyAlgs } from '../../contract/proof-algorithms.ts';
import { InputError } from '../errors.ts';
import { providerAlgorithms } from '../identity-provider/provider-algorithms.ts';
import { PublicJwkError, readPublicJwk } from '../jws/caller-key.ts';
import type { ClientSecret } from './client.ts';

/** A client's public key as it is stored: the values of its JWK, joined by dots, and its algorithm. */
export interface ClientKey {
  readonly publicKey: string;
  readonly alg: ClientKeyAlg;
}

/** The members that are stored, in this order. The others follow from the algorithm. */
const storedMembers = { EC: ['x', 'y'], OKP: ['x'], RSA: ['n'], AKP: [] } as const;

/** RFC 9864: the former name of Ed25519 is that of two algorithms. Libraries send either. */
export function plainAlg(alg: string): string {
  return alg === 'EdDSA' ? 'Ed25519' : alg;
}

function isClientKeyAlg(alg: string | undefined): alg is ClientKeyAlg {
  return clientKeyAlgs.some((known) => known === alg);
}

/** @returns undefined of a secret, and of a key whose algorithm is one of a later release. */
export function clientKeyOf({ publicKey, alg }: Pick<ClientSecret, 'publicKey' | 'alg'>) {
  return publicKey !== undefined && isClientKeyAlg(alg) ? { publicKey, alg } : undefined;
}

function toJwk({ publicKey, alg }: ClientKey): JsonWebKey {
  const { kty, crv } = providerAlgorithms[alg];
  const values = publicKey.split('.');
  const own = storedMembers[kty].map((name, index) => [name, values[index]] as const);
  return { kty, ...(crv === undefined ? { e: 'AQAB' } : { crv }), ...Object.fromEntries(own) };
}

/** @throws {PublicJwkError} if the stored text is not a key. */
export function importClientKey(key: ClientKey): KeyObject {
  return readPublicJwk(toJwk(key)).toKey(key.alg);
}

/** RFC 7638. Most libraries send it as `kid`. */
export function keyThumbprint(key: ClientKey): string {
  return readPublicJwk(toJwk(key)).thumbprint;
}

/** The RFC 7638 thumbprint of a key. Undefined of a secret. */
export function thumbprintOf(secret: Pick<ClientSecret, 'publicKey' | 'alg'>): string | undefined {
  const key = clientKeyOf(secret);
  return key && keyThumbprint(key);
}

/** The algorithm of a key whose JWK says none: PS256 for RSA (FAPI 2.0 §5.4). */
function usualAlg({ kty, crv }: JsonWebKey): ClientKeyAlg | undefined {
  if (kty === 'RSA') return 'PS256';
  return clientKeyAlgs.find((alg) => {
    const needed = providerAlgorithms[alg];
    return needed.kty === kty && needed.crv === crv;
  });
}

const publicPem = /^-----BEGIN (?:RSA )?PUBLIC KEY-----/;

function readJwk(text: string): JsonWebKey {
  // Before anything reads it: `createPublicKey` makes a public key of a private one.
  if (text.includes('PRIVATE KEY')) throw new PublicJwkError('the key is private');
  try {
    const jwk: unknown = publicPem.test(text)
      ? createPublicKey(text).export({ format: 'jwk' })
      : JSON.parse(text);
    if (isJsonObject(jwk)) return jwk;
  } catch {
    // Its message may have a part of the text.
  }
  throw new PublicJwkError('the text is no JWK, and does not begin with "BEGIN PUBLIC KEY"');
}

/**
 * Reads a public key that a person gives: a JWK, or PEM as OpenSSL writes it.
 *
 * @param alg what the key signs with, if its JWK does not say it.
 * @throws {PublicJwkError} The message has nothing of the text.
 */
export function readClientKey(text: string, alg?: string): ClientKey {
  const received = readJwk(text.trim());
  const jwk = readPublicJwk(received);
  const { alg: member } = received as { readonly alg?: string };
  const named = member === undefined ? undefined : plainAlg(member);
  const chosen = alg ?? named ?? usualAlg(received);
  if (!isClientKeyAlg(chosen) || (named !== undefined && named !== chosen)) {
    throw new PublicJwkError(`the key is not one for ${alg ?? clientKeyAlgs.join(', ')}`);
  }
  const members = jwk.toKey(chosen).export({ format: 'jwk' });
  const names = storedMembers[providerAlgorithms[chosen].kty];
  return { alg: chosen, publicKey: names.map((name) => members[name]).join('.') };
}

/** @throws {InputError} if the text is not a public key. The message has nothing of it. */
export function readGivenKey(publicKey: string, alg?: string): ClientKey {
  try {
    return readClientKey(publicKey, alg);
  } catch (error) {
    if (!(error instanceof PublicJwkError)) throw error;
    const problem = `nothing was stored, because ${error.message}; allowed: a public key as JWK or PEM (EC P-256 or P-384, Ed25519, RSA)`;
    throw new InputError(problem, { field: 'publicKey', label: 'public_key' });
  }
}
