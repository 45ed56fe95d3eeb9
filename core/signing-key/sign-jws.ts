import { createPublicKey } from 'node:crypto';
import { maxSigningInputBytes } from '../../contract/bounds.ts';
import { memoize } from '../bounded-map.ts';
import { SigningKeyUnusableError, UnavailableError } from '../errors.ts';
import { isSignatureValid } from '../jws/jws-signature.ts';
import type { PortOptions } from '../port.ts';
import type { PublicJwk, SigningKey } from './signing-key.ts';

/**
 * Signs a JWS signing input with a key's private half.
 *
 * @returns the signature in the form of JWS (RFC 7518 §3): for ECDSA that is R‖S, not DER.
 * @throws {SigningKeyUnusableError} if KMS refuses this key: disabled, being deleted, missing.
 * @throws {UnavailableError} if KMS does not sign in time, or is throttled.
 */
export type Sign = (
  key: SigningKey,
  signingInput: Uint8Array,
  options?: PortOptions,
) => Promise<Uint8Array>;

/**
 * The published key does not verify a signature of KMS. The signature must not leave the service.
 */
export class UnverifiableSignatureError extends UnavailableError {
  override readonly name = 'UnverifiableSignatureError';
}

/** A signed JWS in compact form (RFC 7515 §7.1). */
export interface SignedJws {
  readonly jws: string;
  readonly kid: string;
  /** The keys that KMS refused before. */
  readonly refusals: readonly KeyRefusal[];
}

/** A key that could not sign. No response contains the reason. */
export interface KeyRefusal {
  readonly kid: string;
  /** What was refused, with the name of AWS's error and the id of the request. */
  readonly reason: string;
}

/**
 * Seconds after which the list of keys is read again if none of its keys can sign. Short: the region
 * issues no token until then. Long enough that a region without a key does not read its table for
 * every request.
 */
const refusedListAge = 2;

/** The keys that may sign, in order of preference, by a list that is at most so many seconds old. */
export type ChooseKeys = (maxAge?: number) => Promise<readonly SigningKey[]>;

const chooseNone: ChooseKeys = async () => [];

/** What is signed: the payload, and its type for the header. */
interface JwsContent {
  readonly typ: string;
  readonly payload: object;
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Importing an RSA key costs as much as one verification. */
const keyObjectOf = /* @__PURE__ */ memoize((key: PublicJwk) =>
  createPublicKey({ key, format: 'jwk' }),
);

/** Whether a JWS signature is that of the public key's private half over the signing input. */
export function verifyWithJwk(
  jwk: PublicJwk,
  signingInput: Uint8Array,
  signature: Uint8Array,
): boolean {
  return isSignatureValid(jwk.alg, keyObjectOf(jwk), signingInput, signature);
}

async function signWithOne(
  key: SigningKey,
  { typ, payload }: { readonly typ: string; readonly payload: string },
  sign: Sign,
  options: PortOptions,
): Promise<string> {
  const signingInput = `${encodePart({ alg: key.alg, typ, kid: key.kid })}.${payload}`;
  const bytes = Buffer.from(signingInput);
  if (bytes.length > maxSigningInputBytes) {
    throw new RangeError(
      `the signing input has ${bytes.length} bytes; allowed: ${maxSigningInputBytes}`,
    );
  }
  const signature = await sign(key, bytes, options);
  if (!verifyWithJwk(key.publicJwk, bytes, signature)) {
    throw new UnverifiableSignatureError(`the published key ${key.kid} does not verify`);
  }
  return `${signingInput}.${Buffer.from(signature).toString('base64url')}`;
}

/**
 * Signs with the first key that KMS accepts. If it accepts none, the list is read again: an operator
 * may have replaced a lost key by one that was not eligible yet.
 *
 * @param keys those that may sign, in order of preference.
 * @param signWith signs with one of them.
 * @param chooseAgain chooses by a newer list.
 * @throws {UnavailableError} if no key can sign.
 */
export async function signWithFirst(
  keys: readonly SigningKey[],
  signWith: (key: SigningKey) => Promise<string>,
  chooseAgain: ChooseKeys = chooseNone,
): Promise<SignedJws> {
  const refusals: KeyRefusal[] = [];
  let cause: unknown;
  for (const choose of [() => keys, chooseAgain]) {
    for (const key of await choose(refusedListAge)) {
      if (refusals.some(({ kid }) => kid === key.kid)) continue;
      try {
        return { jws: await signWith(key), kid: key.kid, refusals };
      } catch (error) {
        if (!(error instanceof SigningKeyUnusableError)) throw error;
        refusals.push({ kid: key.kid, reason: error.message });
        cause = error;
      }
    }
  }
  const refused = refusals.map(({ kid, reason }) => `${kid}, ${reason}`).join('; ') || 'none';
  throw new UnavailableError(`no published key of this region can sign; refused: ${refused}`, {
    cause,
  });
}

/**
 * Signs a payload with the first key that KMS accepts, and verifies the signature with the
 * published public key. See {@link signWithFirst}.
 *
 * @param keys those that may sign, in order of preference.
 * @throws {UnavailableError} if no key can sign, or KMS does not answer.
 * @throws {RangeError} if the signing input is too long.
 */
export function signJws(
  { typ, payload }: JwsContent,
  keys: readonly SigningKey[],
  sign: Sign,
  { chooseAgain, ...options }: PortOptions & { readonly chooseAgain?: ChooseKeys } = {},
): Promise<SignedJws> {
  const content = { typ, payload: encodePart(payload) };
  const signWith = (key: SigningKey) => signWithOne(key, content, sign, options);
  return signWithFirst(keys, signWith, chooseAgain);
}
