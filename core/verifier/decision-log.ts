import { describeError } from '../describe-error.ts';
import type { BearerRefusal } from './bearer-refusal.ts';
import type { VerifiedCredential } from './verified-credential.ts';

/** Fields of a log line. An id is written only if it was read from a store or a verified token. */
export type DecisionFields = Readonly<Record<string, string | undefined>>;

export function credentialFields(verified: VerifiedCredential): DecisionFields {
  const { credential } = verified;
  if (credential === 'api_key') return { credential, key_id: verified.keyId };
  return {
    credential,
    client_id: verified.clientId,
    issuer: verified.issuer,
    jti: verified.tokenId,
    ...describeError(verified.lookupFailure),
  };
}

/** A record that cannot be read is an operator's work; every other refusal is the caller's. */
export function refusalLevel({ reason }: BearerRefusal): 'info' | 'error' {
  return reason === 'record_malformed' ? 'error' : 'info';
}

export function refusalFields({ reason, facts, cause }: BearerRefusal): DecisionFields {
  return {
    reason,
    client_id: facts.clientId,
    key_id: facts.keyId,
    issuer: facts.issuer,
    jti: facts.tokenId,
    required_scope: facts.requiredScopes?.join(' '),
    ...describeError(cause),
  };
}
