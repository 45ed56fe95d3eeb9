import { maxScopeBytes } from '../../contract/limits.ts';
import { isScopeToken } from '../../contract/scopes.ts';
import { OAuthError } from '../oauth-error.ts';

/** Reads a `scope` parameter: tokens, each separated by one space (RFC 6749 §3.3). */
export function parseScope(value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (value.length > maxScopeBytes) throw new OAuthError('scope_syntax');
  const tokens = value.split(' ');
  if (!tokens.every(isScopeToken)) throw new OAuthError('scope_syntax');
  return tokens;
}

/**
 * The scopes that a token gets: the requested ones, or all of the client's if none are requested.
 * They are in the client's order, so the order of a request makes no difference.
 */
export function grantScopes(
  requested: readonly string[] | undefined,
  allowed: readonly string[],
): readonly string[] {
  if (allowed.length === 0) throw new OAuthError('client_without_scopes');
  if (requested === undefined) return allowed;
  if (!requested.every((scope) => allowed.includes(scope))) {
    throw new OAuthError('scope_not_granted');
  }
  return allowed.filter((scope) => requested.includes(scope));
}
