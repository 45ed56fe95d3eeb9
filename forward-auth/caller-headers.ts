import { type CallerHeaderName, callerHeaders } from '../contract/caller-headers.ts';
import type { VerifiedCredential } from '../core/verifier/verified-credential.ts';

export type CallerHeaderValues = Readonly<Record<CallerHeaderName, string>>;

/** Printable ASCII without a space at either end (RFC 9110 §5.5), or nothing. */
const headerValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

/** A verified value that no header can carry. There is no access then. */
export class CallerHeaderError extends Error {
  override readonly name = 'CallerHeaderError';
}

/** @throws {CallerHeaderError} if a header cannot carry a value. The message names the header. */
function checkValues(values: CallerHeaderValues): CallerHeaderValues {
  for (const [name, value] of Object.entries(values)) {
    if (!headerValue.test(value)) throw new CallerHeaderError(`${name} cannot carry its value`);
  }
  return values;
}

/**
 * Says in headers who calls, every one of them present.
 *
 * @throws {CallerHeaderError} if a header cannot carry a value.
 */
export function callerHeaderValues(verified: VerifiedCredential): CallerHeaderValues {
  const isToken = verified.credential === 'access_token';
  return checkValues({
    [callerHeaders.credential]: verified.credential,
    [callerHeaders.clientId]: isToken ? verified.clientId : '',
    // An API key stands for its whole trunk group: it has no list of scopes.
    [callerHeaders.scope]: isToken ? verified.scopes.join(' ') : '',
    [callerHeaders.serviceTrunkGroup]: verified.serviceTrunkGroup,
    [callerHeaders.issuer]: isToken ? verified.issuer : '',
    [callerHeaders.keyId]: isToken ? '' : verified.keyId,
  });
}
