import { SigningKeyUnusableError } from '../errors.ts';
import type { Sign } from './sign.ts';

/**
 * Seconds for which a refused key is not asked again. Short, since a key that was enabled again is
 * to sign again soon; long enough that a fallback key does not cost two calls of KMS for each token.
 */
export const refusalMemory = 10;

interface Refusal {
  /** Seconds since the epoch. */
  readonly at: number;
  /** Whether another key has signed since. Without one, the refused key is all there is to ask. */
  readonly hasFallback: boolean;
}

/**
 * A signer that knows for a while which keys KMS refused, and refuses them itself meanwhile, as
 * long as another key signs in their place.
 *
 * @param now gives seconds since the epoch.
 */
export function rememberRefusals(sign: Sign, now: () => number): Sign {
  const refusals = new Map<string, Refusal>();

  function isRefused(kid: string): boolean {
    const refusal = refusals.get(kid);
    if (refusal === undefined || !refusal.hasFallback) return false;
    const age = now() - refusal.at;
    return age >= 0 && age < refusalMemory;
  }

  function noteSigned(kid: string): void {
    refusals.delete(kid);
    for (const [other, { at }] of refusals) refusals.set(other, { at, hasFallback: true });
  }

  return async (key, signingInput, options) => {
    if (isRefused(key.kid)) {
      throw new SigningKeyUnusableError(`KMS refused ${key.kid} a moment ago`);
    }
    try {
      const signature = await sign(key, signingInput, options);
      noteSigned(key.kid);
      return signature;
    } catch (error) {
      if (error instanceof SigningKeyUnusableError) {
        refusals.set(key.kid, { at: now(), hasFallback: false });
      }
      throw error;
    }
  };
}
