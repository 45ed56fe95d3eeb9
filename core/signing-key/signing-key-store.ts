import type { PortOptions } from '../port.ts';
import type { SigningKey } from './signing-key.ts';

/** What the token and jwks functions need. */
export interface SigningKeyReader {
  /**
   * Every signing key of every region, in no particular order. A record that cannot be read is
   * skipped.
   *
   * @throws {UnavailableError} if the store does not answer in time.
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
