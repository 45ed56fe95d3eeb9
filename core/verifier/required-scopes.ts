import { refuse } from './bearer-refusal.ts';
import type { VerifiedCredential } from './verified-credential.ts';

/**
 * Requires every one of some scopes. Scopes are compared whole (RFC 6749 §3.3): `read:all` is not
 * in `read:all2`. An API key satisfies every scope.
 *
 * @throws {BearerRefusal} `insufficient_scope`, with the scopes that the request requires.
 */
export function requireScopes(verified: VerifiedCredential, required: readonly string[]): void {
  if (verified.credential === 'api_key') return;
  if (required.every((scope) => verified.scopes.includes(scope))) return;
  const finding = () => ({
    name: 'scope',
    received: verified.scopes.join(' '),
    expected: required.join(' '),
    serviceTrunkGroup: verified.serviceTrunkGroup,
  });
  throw refuse('insufficient_scope', finding, {
    clientId: verified.clientId,
    issuer: verified.issuer,
    ...(verified.tokenId === undefined ? {} : { tokenId: verified.tokenId }),
    requiredScopes: required,
  });
}
