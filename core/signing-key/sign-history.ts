import { ServiceUnavailableError, SigningKeyUnusableError } from '../errors.ts';
import { type Clock, seconds } from '../time.ts';
import type { Sign } from './sign-jws.ts';

/**
 * Seconds for which KMS is not asked again to sign with a refused key. Short, so that a key signs
 * again soon when it is enabled again; long enough that a fallback key does not cost two calls to
 * KMS per token.
 */
export const unusableKeyMemory = 10;

/** Seconds for which one throttled call means that KMS is short of signatures. */
const shortageMemory = 60;

/** Whether KMS refused to sign because too many signatures were requested. */
export function isKmsThrottling(error: unknown): boolean {
  return error instanceof ServiceUnavailableError && error.service === 'KMS' && error.isThrottling;
}

interface UnusableKey {
  /** What KMS said. */
  readonly cause: SigningKeyUnusableError;
  /** Seconds since the epoch. */
  readonly at: number;
  /** Whether another key has signed since. If none has, the refused key is tried again. */
  readonly hasFallback: boolean;
}

/** What KMS did last for this instance: which keys it refused, when it signed, when it throttled. */
export class SignHistory {
  /** By kid. */
  readonly #unusable = new Map<string, UnusableKey>();
  /** In 1970: never. */
  #signedAt = 0;
  #throttledAt = 0;

  /**
   * A signer whose results are remembered. When KMS refuses a key and another key signs instead,
   * the refused key is not tried again for a while.
   */
  watch(sign: Sign, clock: Clock): Sign {
    return async (key, signingInput, options) => {
      const cause = this.#findRefusal(key.kid, clock);
      if (cause !== undefined) {
        throw new SigningKeyUnusableError(`refused a moment ago: ${cause.message}`, { cause });
      }
      try {
        const signature = await sign(key, signingInput, options);
        this.#recordSignature(key.kid, seconds(clock()));
        return signature;
      } catch (error) {
        this.#recordFailure(key.kid, error, seconds(clock()));
        throw error;
      }
    };
  }

  hasSigned(now: number): boolean {
    return Math.abs(now - this.#signedAt) < shortageMemory;
  }

  isShort(now: number): boolean {
    return Math.abs(now - this.#throttledAt) < shortageMemory;
  }

  #findRefusal(kid: string, clock: Clock): SigningKeyUnusableError | undefined {
    const found = this.#unusable.get(kid);
    if (found === undefined || !found.hasFallback) return undefined;
    const age = seconds(clock()) - found.at;
    return age >= 0 && age < unusableKeyMemory ? found.cause : undefined;
  }

  #recordSignature(kid: string, now: number): void {
    this.#signedAt = now;
    this.#unusable.delete(kid);
    for (const [other, refusal] of this.#unusable) {
      this.#unusable.set(other, { ...refusal, hasFallback: true });
    }
  }

  #recordFailure(kid: string, error: unknown, now: number): void {
    if (isKmsThrottling(error)) this.#throttledAt = now;
    if (error instanceof SigningKeyUnusableError) {
      this.#unusable.set(kid, { cause: error, at: now, hasFallback: false });
    }
  }
}
