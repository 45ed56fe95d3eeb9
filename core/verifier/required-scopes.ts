import { refuse } from './bearer-refusal.ts';
import type { VerifiedCredential } from './verified-credential.ts';

/**
 * Requires every one of some scopes. Scopes are compared whole (RFC 6749 §3.3): `read:all` is not
 * in `read:all2`. An API key without a list of its own satisfies every scope.
 *
 * @throws {BearerRefusal} with the scopes that the request requires.
 */
export function requireScopes(verified: VerifiedCredential, required: readonly string[]): void {
  const { scopes, serviceTrunkGroup } = verified;
  if (scopes === undefined || required.every((scope) => scopes.includes(scope))) return;
  const finding = () => ({
    name: 'scope',
    received: scopes.join(' '),
    expected: required.join(' '),
    serviceTrunkGroup,
  });
  if (verified.credential === 'api_key') {
    const facts = { keyId: verified.keyId, requiredScopes: required };
    throw refuse('api_key_scope_missing', finding, facts);
  }
  throw refuse('insufficient_scope', finding, {
    clientId: verified.clientId,
    issuer: verified.issuer,
    ...(verified.tokenId === undefined ? {} : { tokenId: verified.tokenId }),
    requiredScopes: required,
  });
}
