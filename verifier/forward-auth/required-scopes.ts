import { noScopesSegment, verifyPathSegment } from '../../contract/caller-headers.ts';
import { scopePartPattern } from '../../contract/scopes.ts';

function isScope(text: string): boolean {
  const [service, permission, ...more] = text.split(':');
  return (
    more.length === 0 &&
    scopePartPattern.test(service ?? '') &&
    scopePartPattern.test(permission ?? '')
  );
}

/** A path that is longer than any list of scopes is cut in the log. */
const maxLoggedLength = 200;

/**
 * The part of a request target that names scopes, for the log. The rest may be text of the caller.
 */
export function namingSegments(target: string): string {
  const [path = ''] = target.split('?', 1);
  return path.split('/', 3).join('/').slice(0, maxLoggedLength);
}

/**
 * Reads the scopes that a proxy's route requires: `/verify/messaging:view,calls:view`, or
 * `/verify/-` for none. Only the first two segments are read: the rest and the query may be those
 * of the original request, and therefore text of the caller. Nothing is decoded, because no scope
 * needs it.
 *
 * @param target the request target as received (RFC 9112 §3.2).
 * @returns undefined if the path names no scopes: a mistake in the proxy's configuration.
 */
export function readRequiredScopes(target: string): readonly string[] | undefined {
  const [path = ''] = target.split('?', 1);
  const [root, verify, scopes] = path.split('/', 3);
  if (root !== '' || verify !== verifyPathSegment || scopes === undefined) return undefined;
  if (scopes === noScopesSegment) return [];
  const names = scopes.split(',');
  return names.every(isScope) ? names : undefined;
}
