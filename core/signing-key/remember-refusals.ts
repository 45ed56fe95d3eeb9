import { SigningKeyUnusableError } from '../errors.ts';
import type { Sign } from './sign.ts';

/**
 * Seconds for which a refused key is not asked again. Short, since a key that was enabled again is
 * to sign again soon; long enough that a stand-in does not cost two calls of KMS for each token.
 */
export const refusalMemory = 10;

/**
 * A signer that knows for a while which keys KMS refused, and refuses them itself meanwhile.
 *
 * @param now gives seconds since the epoch.
 */
export function rememberRefusals(sign: Sign, now: () => number): Sign {
  const refusedAt = new Map<string, number>();

  function isRefused(kid: string): boolean {
    const age = now() - (refusedAt.get(kid) ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < refusalMemory;
  }

  return async (key, signingInput, options) => {
    if (isRefused(key.kid)) {
      throw new SigningKeyUnusableError(`KMS refused ${key.kid} a moment ago`);
    }
    try {
      return await sign(key, signingInput, options);
    } catch (error) {
      if (error instanceof SigningKeyUnusableError) refusedAt.set(key.kid, now());
      throw error;
    }
  };
}
