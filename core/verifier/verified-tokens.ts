import { hash } from 'node:crypto';
import type { JsonObject } from './json-object.ts';
import type { VerificationKey } from './jwks-cache.ts';

/** The content of a token, and the key that its signature was verified with. */
export interface VerifiedToken {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  readonly key: VerificationKey;
}

interface Remembered extends VerifiedToken {
  readonly length: number;
}

/**
 * Remembers the signatures that were verified, and nothing else: keys, times, audiences, providers
 * and clients are checked at each use. A token is found by the SHA-256 hash of all its characters,
 * and the token itself is not kept. A token whose signature is wrong is never remembered, so only
 * an issuer's own tokens take space. The total length of the tokens is bounded; the one that was
 * not used for the longest time goes first.
 */
export class VerifiedTokens {
  readonly #maxLength: number;
  readonly #known = new Map<string, Remembered>();
  #length = 0;

  /** @param maxLength characters of all remembered tokens together. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** @returns undefined if this token's signature was not verified, or was forgotten. */
  find(token: string): VerifiedToken | undefined {
    const digest = hash('sha256', token, 'base64url');
    const found = this.#known.get(digest);
    if (found === undefined) return undefined;
    this.#known.delete(digest);
    this.#known.set(digest, found);
    return found;
  }

  remember(token: string, { header, payload, key }: VerifiedToken): void {
    const digest = hash('sha256', token, 'base64url');
    this.#forget(digest);
    this.#known.set(digest, { header, payload, key, length: token.length });
    this.#length += token.length;
    for (const oldest of this.#known.keys()) {
      if (this.#length <= this.#maxLength) return;
      this.#forget(oldest);
    }
  }

  #forget(digest: string): void {
    this.#length -= this.#known.get(digest)?.length ?? 0;
    this.#known.delete(digest);
  }
}
