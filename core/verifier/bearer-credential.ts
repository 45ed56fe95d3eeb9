import { maxTokenBytes } from '../../contract/limits.ts';
import { BearerRefusal, refuseLength } from './bearer-refusal.ts';

/** RFC 9110 §11.1: the scheme's name is case-insensitive. */
const knownScheme = /^(bearer|dpop)(?: |$)/i;

/** RFC 6750 §2.1: `credentials = "Bearer" 1*SP b64token`; RFC 9449 §7.1 has the same for DPoP. */
const credentials = /^(?:bearer|dpop) +([A-Za-z0-9._~+/-]+=*)$/i;

/** The scheme and a generous number of spaces before the longest token. */
const maxAuthorizationLength = 'Bearer'.length + 16 + maxTokenBytes;

/** A credential as it was sent. */
export interface SentCredential {
  readonly value: string;
  /** Whether it came with the scheme DPoP. */
  readonly isWithProof: boolean;
}

/**
 * Reads the credential of a request (RFC 6750 §2.1, RFC 9449 §7.1). Only the `Authorization`
 * header is read: a token in the query or in a form is ignored.
 *
 * @param values each `Authorization` header of the request.
 * @throws {BearerRefusal} if there is no credential, more than one, or a malformed one.
 */
export function readBearerCredential(values: readonly string[]): SentCredential {
  const [value, ...others] = values;
  if (value === undefined) throw new BearerRefusal('no_credential');
  if (others.length > 0) throw new BearerRefusal('authorization_repeated');
  if (value.length > maxAuthorizationLength) {
    throw refuseLength(value.length, maxAuthorizationLength);
  }
  // Another scheme is a request "using an unsupported authentication method" (RFC 6750 §3.1).
  const scheme = knownScheme.exec(value)?.[1];
  if (scheme === undefined) throw new BearerRefusal('no_credential');
  const credential = credentials.exec(value)?.[1];
  if (credential === undefined) throw new BearerRefusal('authorization_malformed');
  return { value: credential, isWithProof: scheme.length === 'dpop'.length };
}
