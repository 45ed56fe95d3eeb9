import { maxAudienceLength } from './limits.ts';
import { unprintable } from './unprintable.ts';

/** RFC 3986 §3: a scheme, and the characters that a URI may have. */
const uri = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;

/**
 * `StringOrURI` of RFC 7519 §2, as far as a person can read it: a text is an audience unless it has
 * a colon and is no URI. The audiences of this service's own tokens are narrower, see
 * `isResourceUri`.
 */
export function isAudience(value: string): boolean {
  if (value === '' || value.length > maxAudienceLength || unprintable.test(value)) return false;
  return value === value.trim() && (!value.includes(':') || uri.test(value));
}
