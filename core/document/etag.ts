import { hash } from 'node:crypto';

/** A strong entity tag: it changes if and only if the content does (RFC 9110 §8.8.3). */
export function strongEtag(content: string): string {
  return `"${hash('sha256', content, 'base64url')}"`;
}

const entityTag = /(?:W\/)?("[\u0021\u0023-\u007e\u0080-\u00ff]*")/g;

/**
 * Whether one of the entity tags of `If-None-Match` is the current one, by weak comparison
 * (RFC 9110 §13.1.2).
 *
 * @param values each header of that name.
 */
export function matchesEtag(values: readonly string[], etag: string): boolean {
  return values.some(
    (value) =>
      value.trim() === '*' || [...value.matchAll(entityTag)].some(([, opaque]) => opaque === etag),
  );
}
