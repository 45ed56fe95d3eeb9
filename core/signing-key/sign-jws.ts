import { maxSigningInputBytes } from '../../contract/limits.ts';
import { SigningKeyUnusableError, UnavailableError } from '../errors.ts';
import type { PortOptions } from '../port.ts';
import type { Sign } from './sign.ts';
import type { SigningKey } from './signing-key.ts';
import { verifySignature } from './verify-signature.ts';

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
  /** kids of the keys that KMS refused before. */
  readonly unusableKids: readonly string[];
}

/** What is signed: the payload, and its type for the header. */
export interface JwsContent {
  readonly typ: string;
  readonly payload: object;
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function joinSigningInput(key: SigningKey, typ: string, payload: string): string {
  return `${encodePart({ alg: key.alg, typ, kid: key.kid })}.${payload}`;
}

/** What a key signs (RFC 7515 §5.1): the same text for the same key and content. */
export function signingInputOf(key: SigningKey, { typ, payload }: JwsContent): string {
  return joinSigningInput(key, typ, encodePart(payload));
}

async function signWith(
  key: SigningKey,
  { typ, payload }: { readonly typ: string; readonly payload: string },
  sign: Sign,
  options: PortOptions,
): Promise<string> {
  const signingInput = joinSigningInput(key, typ, payload);
  const bytes = Buffer.from(signingInput);
  if (bytes.length > maxSigningInputBytes) {
    throw new RangeError(
      `the signing input has ${bytes.length} bytes; allowed: ${maxSigningInputBytes}`,
    );
  }
  const signature = await sign(key, bytes, options);
  if (!verifySignature(key.publicJwk, bytes, signature)) {
    throw new UnverifiableSignatureError(`the published key ${key.kid} does not verify`);
  }
  return `${signingInput}.${Buffer.from(signature).toString('base64url')}`;
}

/**
 * Signs a payload with the first key that KMS accepts, and verifies the signature with the
 * published public key.
 *
 * @param keys those that may sign, in order of preference.
 * @throws {UnavailableError} if no key can sign, or KMS does not answer.
 * @throws {RangeError} if the signing input is too long.
 */
export async function signJws(
  { typ, payload }: JwsContent,
  keys: readonly SigningKey[],
  sign: Sign,
  options: PortOptions = {},
): Promise<SignedJws> {
  const content = { typ, payload: encodePart(payload) };
  const unusableKids: string[] = [];
  for (const key of keys) {
    try {
      const jws = await signWith(key, content, sign, options);
      return { jws, kid: key.kid, unusableKids };
    } catch (error) {
      if (!(error instanceof SigningKeyUnusableError)) throw error;
      unusableKids.push(key.kid);
    }
  }
  throw new UnavailableError(
    `no published key of this region can sign; refused: ${unusableKids.join(', ') || 'none'}`,
  );
}
