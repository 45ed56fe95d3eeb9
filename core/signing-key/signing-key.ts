import type * as v from 'valibot';
import type { signingKey } from '../../contract/management/results.ts';
import type { PortOptions } from '../port.ts';

/** A signing key of one region. Times are seconds since the epoch. */
export type SigningKey = Readonly<v.InferOutput<typeof signingKey>>;

export type SigningKeyState = SigningKey['state'];

/** Public half of a signing key (RFC 7517 §4), as the JWKS shows it. */
export type PublicJwk = Readonly<SigningKey['publicJwk']>;

/** Whether a key belongs in the JWKS at a time, in seconds since the epoch. */
export function isPublished(key: SigningKey, now: number): boolean {
  if (key.state === 'next' || key.state === 'current') return true;
  return key.state === 'previous' && (key.withdrawAt === undefined || now < key.withdrawAt);
}

/** What the token and jwks functions need. */
export interface SigningKeyReader {
  /**
   * Every signing key of every region, in no particular order. A record that cannot be read is
   * skipped.
   */
  listSigningKeys(options?: PortOptions): Promise<readonly SigningKey[]>;
}

/** What the rotation needs as well. */
export interface SigningKeyStore extends SigningKeyReader {
  /** @throws {ConflictError} if the kid exists. */
  createSigningKey(key: SigningKey): Promise<void>;
  /**
   * Changes a key's state, times and version. What it is, down to its public half, stays as it was
   * published.
   *
   * @throws {ConflictError} if the stored version is not `key.version - 1`.
   */
  replaceSigningKey(key: SigningKey): Promise<void>;
}
