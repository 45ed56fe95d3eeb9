import { type CallerHeaderName, callerHeaders } from '../../contract/caller-headers.ts';
import { identifyCaller } from '../../core/verifier/caller-identity.ts';
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
  const caller = identifyCaller(verified);
  return [
    ...header(callerHeaders.credential, caller.credential),
    ...header(callerHeaders.clientId, caller.clientId),
    ...header(callerHeaders.scope, caller.scope),
    ...header(callerHeaders.serviceTrunkGroup, caller.serviceTrunkGroup),
    ...header(callerHeaders.issuer, caller.issuer),
    ...header(callerHeaders.keyId, caller.keyId),
  ];
}
