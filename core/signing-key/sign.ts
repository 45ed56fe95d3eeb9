import type { PortOptions } from '../port.ts';
import type { SigningKey } from './signing-key.ts';

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
