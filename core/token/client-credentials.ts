import { maxAuthorizationBytes, maxClientIdLength } from '../../contract/limits.ts';
import { OAuthError } from '../oauth-error.ts';
import { authenticationSchemes } from './capabilities.ts';
import { decodeFormValue, decodeUtf8, type TokenParameters } from './token-parameters.ts';

/** What a client claims to be. The secret must not be logged. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** `credentials` of RFC 9110 §11.4: a scheme, one space, and what the scheme defines. */
const schemeAndValue = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+)$/;

/** RFC 7617 §2: neither user-id nor password may hold control characters. */
// oxlint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

function decodeBase64(value: string): string | undefined {
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? decodeUtf8(bytes) : undefined;
}

/** No id and no secret begins or ends so. `echo "$ID:$SECRET" | base64` adds a line break. */
const blankAround = /^\s|\s$/;

/** The id or the secret: form-encoded within Basic (RFC 6749 §2.3.1). */
function decodeHalf(encoded: string): string {
  const value = decodeFormValue(encoded);
  if (value !== undefined && blankAround.test(value)) {
    throw new OAuthError('blank_around_credentials');
  }
  if (value === undefined || value === '' || controlCharacter.test(value)) {
    throw new OAuthError('malformed_credentials');
  }
  return value;
}

/** Reads the value of an `Authorization` header as HTTP Basic (RFC 7617 §2). */
export function parseBasicCredentials(authorization: string): ClientCredentials {
  const [, scheme = '', value = ''] = schemeAndValue.exec(authorization) ?? [];
  if (!authenticationSchemes.has(scheme.toLowerCase())) {
    throw new OAuthError('authentication_scheme');
  }
  const pair = decodeBase64(value);
  const colon = pair?.indexOf(':') ?? -1;
  if (pair === undefined || colon < 0) throw new OAuthError('malformed_credentials');
  return {
    clientId: decodeHalf(pair.slice(0, colon)),
    clientSecret: decodeHalf(pair.slice(colon + 1)),
  };
}

/**
 * Reads the client's credentials: only HTTP Basic (RFC 6749 §2.3).
 *
 * @param authorizations each `Authorization` header of the request.
 */
export function readClientCredentials(
  authorizations: readonly string[],
  parameters: TokenParameters,
): ClientCredentials {
  const [authorization, ...others] = authorizations;
  if (authorization === undefined) {
    throw new OAuthError(
      parameters.hasBodyCredentials ? 'authentication_method' : 'no_authentication',
    );
  }
  if (others.length > 0) throw new OAuthError('repeated_authorization');
  if (authorization.length > maxAuthorizationBytes) throw new OAuthError('authorization_too_large');
  if (parameters.hasBodyCredentials) throw new OAuthError('several_authentications');
  const credentials = parseBasicCredentials(authorization);
  if (credentials.clientId.length > maxClientIdLength) {
    throw new OAuthError('authorization_too_large');
  }
  if (parameters.clientId !== undefined && parameters.clientId !== credentials.clientId) {
    throw new OAuthError('client_id_mismatch');
  }
  return credentials;
}
