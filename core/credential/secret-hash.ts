import { hash, timingSafeEqual } from 'node:crypto';

/** Each stored hash begins with the format's name, so that hashes can migrate. */
const sha256Prefix = 'sha256$';

/** A hash of the same form that no value has. Comparing with it costs the same as any comparison. */
export const impossibleHash = `${sha256Prefix}${Buffer.alloc(32).toString('base64url')}`;

/**
 * The stored hash of a generated secret: `sha256$` and 43 base64url characters. It is fast on
 * purpose: the values have 256 random bits, so stretching would only let callers spend our CPU time.
 */
export function hashSecret(value: string): string {
  return sha256Prefix + hash('sha256', value, 'base64url');
}

/** Compares two hashes in constant time. A stored hash of unknown format never matches. */
export function equalsHash(hash: string, storedHash: string): boolean {
  const actual = Buffer.from(hash);
  const expected = Buffer.from(storedHash);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
