import type { VerifiedCredential } from './verified-credential.ts';

/** Who calls, as texts for another process. A text is empty if the credential has no such value. */
export type CallerIdentity = Readonly<
  Record<
    'credential' | 'clientId' | 'scope' | 'serviceTrunkGroup' | 'issuer' | 'tokenId' | 'keyId',
    string
  >
>;

/** An allow-list: no claim of a token can add or replace a value. */
export function identifyCaller(verified: VerifiedCredential): CallerIdentity {
  const { credential, serviceTrunkGroup } = verified;
  const empty = { clientId: '', scope: '', issuer: '', tokenId: '', keyId: '' };
  // An API key has access to its whole trunk group: it has no list of scopes.
  if (credential === 'api_key') {
    return { ...empty, credential, serviceTrunkGroup, keyId: verified.keyId };
  }
  const { clientId, scopes, issuer, tokenId = '' } = verified;
  return {
    ...empty,
    credential,
    serviceTrunkGroup,
    clientId,
    scope: scopes.join(' '),
    issuer,
    tokenId,
  };
}
