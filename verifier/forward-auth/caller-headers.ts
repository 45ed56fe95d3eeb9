import { type CallerHeaderName, callerHeaders } from '../../contract/caller-headers.ts';
import type { VerifiedCredential } from '../../core/verifier/verified-credential.ts';

/** Printable ASCII without a space at either end (RFC 9110 §5.5), or nothing. */
const headerValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

/** A verified value that no header can carry. The request is then refused. */
export class CallerHeaderError extends Error {
  override readonly name = 'CallerHeaderError';
}

/** @throws {CallerHeaderError} if a header cannot carry the value. The message names the header. */
function header(name: CallerHeaderName, value: string): readonly [CallerHeaderName, string] {
  if (!headerValue.test(value)) throw new CallerHeaderError(`${name} cannot carry its value`);
  return [name, value];
}

/**
 * The headers that describe the caller. All of them are always present. Alternating names and
 * values cost Node less than an object.
 *
 * @throws {CallerHeaderError} if a header cannot carry a value.
 */
export function callerHeaderList(verified: VerifiedCredential): readonly string[] {
  const isToken = verified.credential === 'access_token';
  return [
    ...header(callerHeaders.credential, verified.credential),
    ...header(callerHeaders.clientId, isToken ? verified.clientId : ''),
    // An API key has access to its whole trunk group: it has no list of scopes.
    ...header(callerHeaders.scope, isToken ? verified.scopes.join(' ') : ''),
    ...header(callerHeaders.serviceTrunkGroup, verified.serviceTrunkGroup),
    ...header(callerHeaders.issuer, isToken ? verified.issuer : ''),
    ...header(callerHeaders.keyId, isToken ? '' : verified.keyId),
  ];
}
