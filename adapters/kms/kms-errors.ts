import { SigningKeyUnusableError, UnavailableError } from '../../core/errors.ts';
import { callAws } from '../aws-errors.ts';

/** KMS's response does not match the request. No part of it may be used. */
export class KmsResponseError extends UnavailableError {
  override readonly name = 'KmsResponseError';
}

/** Names of KMS errors that mean that no retry with this key can succeed. */
const unusable: ReadonlySet<string> = new Set([
  'NotFoundException',
  'DisabledException',
  // Being deleted, or still being created.
  'KMSInvalidStateException',
  'InvalidKeyUsageException',
  // The tag that roles select keys by is not set, or has no effect yet.
  'AccessDeniedException',
]);

export function isKmsError(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

/**
 * Makes a KMS call that needs a usable key.
 *
 * @throws {SigningKeyUnusableError} if KMS refuses the key.
 */
export async function callWithKey<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await callAws('KMS', doing, call);
  } catch (error) {
    if (!(error instanceof Error) || !unusable.has(error.name)) throw error;
    throw new SigningKeyUnusableError(`could not ${doing}: ${error.name}`, { cause: error });
  }
}
