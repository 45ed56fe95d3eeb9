import type { Alg } from '../../contract/signing-algorithms.ts';
import type { PortOptions } from '../port.ts';

/** A key of this deployment as KMS lists it, with or without a record. */
export interface ManagedKey {
  readonly kmsKeyArn: string;
  /** Id of the intent that was recorded before the key was created. */
  readonly intentId: string;
}

/** `unusable`: any other state, such as that of a key still being created. */
export type ManagedKeyState = 'enabled' | 'disabled' | 'pending_deletion' | 'unusable';

/** What KMS says about one key. Times are seconds since the epoch. */
export interface ManagedKeyDescription {
  readonly kmsKeyArn: string;
  readonly state: ManagedKeyState;
  /** KMS `KeySpec`, e.g. `RSA_2048`. */
  readonly kmsKeySpec: string;
  readonly createdAt: number;
  /** When KMS deletes the key, if that is scheduled. */
  readonly deletionAt?: number | undefined;
}

/**
 * The life cycle of private keys in KMS. It can create and delete keys, and never signs. Every call
 * except `createKey` can be repeated with the same outcome.
 *
 * Every method throws UnavailableError if KMS does not answer in time.
 */
export interface KeyManagement {
  /**
   * Creates a key, tagged with the deployment and the intent. CreateKey has no idempotency token,
   * so it is sent at most once. When the call fails, the key may exist nonetheless; `listKeys` then
   * finds it by its intent.
   *
   * @returns the new key's ARN.
   */
  createKey(
    request: { readonly intentId: string; readonly alg: Alg; readonly description: string },
    options?: PortOptions,
  ): Promise<string>;
  /**
   * @returns the public key as DER SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
   * @throws {SigningKeyUnusableError} if the key is missing, disabled or being deleted.
   */
  getPublicKey(kmsKeyArn: string, options?: PortOptions): Promise<Uint8Array>;
  /** @returns undefined if there is no such key (any more). */
  describeKey(kmsKeyArn: string, options?: PortOptions): Promise<ManagedKeyDescription | undefined>;
  /** @throws {SigningKeyUnusableError} if the key is missing or being deleted. */
  disableKey(kmsKeyArn: string, options?: PortOptions): Promise<void>;
  /**
   * Asks KMS to delete a key after its longest waiting time. If the key is gone or already being
   * deleted, the call succeeds.
   */
  scheduleKeyDeletion(kmsKeyArn: string, options?: PortOptions): Promise<void>;
  /**
   * Every key of this deployment in this region by its tags, in no particular order and in any
   * state: keys being deleted are listed too. A new key may be missing for some seconds.
   */
  listKeys(options?: PortOptions): Promise<readonly ManagedKey[]>;
}
