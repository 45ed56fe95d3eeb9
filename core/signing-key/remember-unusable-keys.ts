import { type Clock, seconds } from '../clock.ts';
import { SigningKeyUnusableError } from '../errors.ts';
import type { Sign } from './sign-jws.ts';

/**
 * Seconds for which KMS is not asked again to sign with a refused key. Short, so that a key signs
 * again soon when it is enabled again; long enough that a fallback key does not cost two calls to
 * KMS per token.
 */
export const unusableKeyMemory = 10;

interface UnusableKey {
  /** Seconds since the epoch. */
  readonly at: number;
  /** Whether another key has signed since. If none has, the refused key is tried again. */
  readonly hasFallback: boolean;
}

/**
 * Wraps a signer. When KMS refuses a key and another key signs instead, the refused key is not
 * tried again for a while.
 */
export function rememberUnusableKeys(sign: Sign, clock: Clock): Sign {
  const unusable = new Map<string, UnusableKey>();

  function isRefused(kid: string): boolean {
    const found = unusable.get(kid);
    if (found === undefined || !found.hasFallback) return false;
    const age = seconds(clock()) - found.at;
    return age >= 0 && age < unusableKeyMemory;
  }

  function recordSignature(kid: string): void {
    unusable.delete(kid);
    for (const [other, { at }] of unusable) unusable.set(other, { at, hasFallback: true });
  }

  return async (key, signingInput, options) => {
    if (isRefused(key.kid)) {
      throw new SigningKeyUnusableError(`KMS refused ${key.kid} a moment ago`);
    }
    try {
      const signature = await sign(key, signingInput, options);
      recordSignature(key.kid);
      return signature;
    } catch (error) {
      if (error instanceof SigningKeyUnusableError) {
        unusable.set(key.kid, { at: seconds(clock()), hasFallback: false });
      }
      throw error;
    }
  };
}
