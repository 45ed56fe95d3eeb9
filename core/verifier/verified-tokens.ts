import { hash } from 'node:crypto';
import type { JsonObject } from '../../contract/json-object.ts';
import { WeighedMap } from '../bounded-map.ts';
import type { VerificationKey } from './jwks-cache.ts';

/** The content of a token, and the key that its signature was verified with. */
interface VerifiedToken {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  readonly key: VerificationKey;
}

interface Remembered extends VerifiedToken {
  readonly weight: number;
}

/** Characters that one JSON value counts as: it takes up to 64 bytes of heap, a character three. */
const weightOfValue = 22;

/** Values that the name of a member counts as: V8 makes a hidden class for a name that is new. */
const valuesOfName = 2;

/** Counts parsed JSON values, also containers and names. The depth is limited (`maxJsonDepth`). */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const members = Object.values(value);
  let count = Array.isArray(value) ? 1 : 1 + valuesOfName * members.length;
  for (const member of members) count += countValues(member);
  return count;
}

/** A text full of `{}`, or of names, takes many times the memory of a usual one of its length. */
function weigh(token: string, header: JsonObject, payload: JsonObject): number {
  return Math.max(token.length, weightOfValue * (countValues(header) + countValues(payload)));
}

/**
 * Remembers the signatures that were verified, and nothing else: keys, times, audiences, providers
 * and clients are checked at each use. A token is found by the SHA-256 hash of all its characters,
 * and the token itself is not kept. A token whose signature is wrong is never remembered, so only
 * an issuer's own tokens take space. The total weight of the tokens is bounded: the characters
 * of usual tokens. The one that was not used for the longest time goes first.
 */
export class VerifiedTokens {
  readonly #known: WeighedMap<string, Remembered>;

  /** @param maxWeight characters of all remembered tokens together. */
  constructor(maxWeight: number) {
    this.#known = new WeighedMap(maxWeight, ({ weight }) => weight);
  }

  /** @returns undefined if this token's signature was not verified, or was forgotten. */
  find(token: string): VerifiedToken | undefined {
    return this.#known.get(hash('sha256', token, 'base64url'));
  }

  remember(token: string, { header, payload, key }: VerifiedToken): void {
    const weight = weigh(token, header, payload);
    this.#known.set(hash('sha256', token, 'base64url'), { header, payload, key, weight });
  }
}
