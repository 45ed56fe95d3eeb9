import type { VerifiedCredential } from './verified-credential.ts';

/** Who calls, as texts for another process. A text is empty if the credential has no such value. */
type CallerIdentity = Readonly<
  Record<
    'credential' | 'clientId' | 'scope' | 'serviceTrunkGroup' | 'issuer' | 'tokenId' | 'keyId',
    string
  >
>;

/** An allow-list: no claim of a token can add or replace a value. */
export function identifyCaller(verified: VerifiedCredential): CallerIdentity {
  const { credential, serviceTrunkGroup, scopes } = verified;
  const empty = { clientId: '', scope: '', issuer: '', tokenId: '', keyId: '' };
  // An API key without a list of scopes has access to its whole trunk group.
  const scope = scopes?.join(' ') ?? '';
  if (credential === 'api_key') {
    return { ...empty, credential, serviceTrunkGroup, scope, keyId: verified.keyId };
  }
  const { clientId, issuer, tokenId = '' } = verified;
  return { ...empty, credential, serviceTrunkGroup, clientId, scope, issuer, tokenId };
}
