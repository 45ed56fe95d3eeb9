import { SigningKeyUnusableError, UnavailableError } from '../../core/errors.ts';
import { callAws } from '../aws-errors.ts';

/** KMS answered with something else than what was asked for. Nothing of it may be used. */
export class KmsAnswerError extends UnavailableError {
  override readonly name = 'KmsAnswerError';
}

/** Names of KMS errors that say: not with this key, however often you ask. */
const unusable: ReadonlySet<string> = new Set([
  'NotFoundException',
  'DisabledException',
  // Being deleted, or still being made.
  'KMSInvalidStateException',
  'InvalidKeyUsageException',
  // The tag by which roles select keys is not set, or does not count yet.
  'AccessDeniedException',
]);

export function isKmsError(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

/**
 * Makes a KMS call that needs one key to be in order.
 *
 * @throws {SigningKeyUnusableError} if KMS refuses the key.
 * @throws {UnavailableError} if KMS does not answer in time.
 */
export async function callWithKey<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await callAws(doing, call);
  } catch (error) {
    if (!(error instanceof Error) || !unusable.has(error.name)) throw error;
    throw new SigningKeyUnusableError(`could not ${doing}: ${error.name}`, { cause: error });
  }
}
