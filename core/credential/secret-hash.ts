import { createHash, timingSafeEqual } from 'node:crypto';

/** The format's name stands in each stored hash, so that hashes can migrate. */
const sha256Prefix = 'sha256$';

/** A hash of the same form that no value has: comparing with it costs what any comparison costs. */
export const impossibleHash = `${sha256Prefix}${Buffer.alloc(32).toString('base64url')}`;

/**
 * Hash under which a machine-made secret is kept: `sha256$` and 43 base64url characters. Fast on
 * purpose: the values have 256 random bits, so stretching would only let callers buy CPU time.
 */
export function hashSecret(value: string): string {
  return sha256Prefix + createHash('sha256').update(value, 'utf8').digest('base64url');
}

/** Compares two hashes in constant time. A stored hash of unknown format never matches. */
export function equalsHash(hash: string, storedHash: string): boolean {
  const actual = Buffer.from(hash);
  const expected = Buffer.from(storedHash);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Whether a value is the one whose hash is stored. See {@link equalsHash}. */
export function matchesHash(value: string, storedHash: string): boolean {
  return equalsHash(hashSecret(value), storedHash);
}
