import { serverErrorBody, unavailableBody } from '../../contract/error-body.ts';
import { describeError, UnavailableError } from '../errors.ts';
import { BearerRefusal } from './bearer-refusal.ts';
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

function refusalFields({ reason, facts, cause }: BearerRefusal): DecisionFields {
  return {
    reason,
    client_id: facts.clientId,
    key_id: facts.keyId,
    issuer: facts.issuer,
    jti: facts.tokenId,
    proof_part: facts.proofPart,
    required_scope: facts.requiredScopes?.join(' '),
    ...describeError(cause),
  };
}

/** A credential that was not accepted, for the log. */
interface Rejection {
  readonly level: 'info' | 'warn' | 'error';
  /** One word of a closed set. */
  readonly outcome: string;
  readonly fields: DecisionFields;
}

/** A record that cannot be read is an operator's work; every other refusal is the caller's. */
export function describeRejection(error: unknown): Rejection {
  if (error instanceof BearerRefusal) {
    const level = error.reason === 'record_malformed' ? 'error' : 'info';
    return { level, outcome: error.code ?? 'no_credential', fields: refusalFields(error) };
  }
  return error instanceof UnavailableError
    ? { level: 'warn', outcome: unavailableBody.error, fields: describeError(error) }
    : { level: 'error', outcome: serverErrorBody.error, fields: describeError(error) };
}
