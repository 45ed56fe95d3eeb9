import { type Clock, seconds } from '../clock.ts';
import { SigningKeyUnusableError } from '../errors.ts';
import type { Sign } from '../signing-key/sign.ts';

/**
 * Seconds for which KMS is not asked again to sign with a refused key. Short, so that a key signs
 * again soon when it is enabled again; long enough that a fallback key does not cost two calls to
 * KMS per token.
 */
export const refusalMemory = 10;

interface Refusal {
  /** Seconds since the epoch. */
  readonly at: number;
  /** Whether another key has signed since. If none has, the refused key is tried again. */
  readonly hasFallback: boolean;
}

/**
 * Wraps a signer. When KMS refuses a key and another key signs instead, the refused key is not
 * tried again for a while.
 */
export function rememberRefusals(sign: Sign, clock: Clock): Sign {
  const refusals = new Map<string, Refusal>();

  function isRefused(kid: string): boolean {
    const refusal = refusals.get(kid);
    if (refusal === undefined || !refusal.hasFallback) return false;
    const age = seconds(clock()) - refusal.at;
    return age >= 0 && age < refusalMemory;
  }

  function recordSignature(kid: string): void {
    refusals.delete(kid);
    for (const [other, { at }] of refusals) refusals.set(other, { at, hasFallback: true });
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
        refusals.set(key.kid, { at: seconds(clock()), hasFallback: false });
      }
      throw error;
    }
  };
}
