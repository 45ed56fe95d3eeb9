import { maxAuthorizationBytes, maxClientIdLength } from '../../contract/bounds.ts';
import {
  type Client,
  type ClientReader,
  type ClientSecret,
  withoutSyntheticAuthority,
} from '../client/client.ts';
import { equalsHash, hashSecret, impossibleHash } from '../credential/credential-value.ts';
import { OAuthError, type OAuthErrorReason } from '../oauth-error.ts';
import type { PortOptions } from '../port.ts';
import { isEnabled } from '../stops.ts';
import { authenticationSchemes } from './capabilities.ts';
import { decodeFormValue, decodeUtf8, type TokenParameters } from './token-parameters.ts';

/** What a client claims to be. The secret must not be logged. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The same without the decoding of a form, which many clients leave out: an imported secret may have a `+`. */
  readonly sentSecret?: string;
}

/**
 * Reads the client's credentials, in one way (RFC 6749 §2.3): HTTP Basic, or a secret in the body if
 * the deployment accepts it.
 *
 * @param authorizations each `Authorization` header of the request.
 */
export function readClientCredentials(
  authorizations: readonly string[],
  parameters: TokenParameters,
): ClientCredentials {
  if (parameters.postedSecret !== undefined) {
    if (authorizations.length > 0 || parameters.hasBodyCredentials) {
      throw new OAuthError('secret_not_alone');
    }
    return readPostedCredentials(parameters.clientId, parameters.postedSecret);
  }
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

/** The bounds are those of HTTP Basic. The form is decoded already, and only once. */
function readPostedCredentials(clientId: string | undefined, clientSecret: string) {
  if (clientId === undefined) throw new OAuthError('no_authentication');
  if (clientId.length > maxClientIdLength || clientSecret.length > maxAuthorizationBytes) {
    throw new OAuthError('body_too_large');
  }
  return { clientId: assertCredential(clientId), clientSecret: assertCredential(clientSecret) };
}

/** `credentials` of RFC 9110 §11.4: a scheme, one space, and what the scheme defines. */
const schemeAndValue = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+)$/;

/** Reads the value of an `Authorization` header as HTTP Basic (RFC 7617 §2). */
export function parseBasicCredentials(authorization: string): ClientCredentials {
  const [, scheme = '', value = ''] = schemeAndValue.exec(authorization) ?? [];
  if (!authenticationSchemes.has(scheme.toLowerCase())) {
    throw new OAuthError('authentication_scheme');
  }
  const pair = decodeBase64(value);
  const colon = pair?.indexOf(':') ?? -1;
  if (pair === undefined || colon < 0) throw new OAuthError('malformed_credentials');
  const sentSecret = pair.slice(colon + 1);
  return {
    clientId: decodeHalf(pair.slice(0, colon)),
    clientSecret: decodeHalf(sentSecret),
    sentSecret,
  };
}

function decodeBase64(value: string): string | undefined {
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? decodeUtf8(bytes) : undefined;
}

/** RFC 7617 §2: neither user-id nor password may hold control characters. */
// oxlint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** No id and no secret begins or ends so. `echo "$ID:$SECRET" | base64` adds a line break. */
const blankAround = /^\s|\s$/;

/** The id or the secret: form-encoded within Basic (RFC 6749 §2.3.1). */
function decodeHalf(encoded: string): string {
  const hasPlusAround = encoded.startsWith('+') || encoded.endsWith('+');
  return assertCredential(decodeFormValue(encoded), hasPlusAround);
}

function assertCredential(value: string | undefined, mayHaveBlanks = false): string {
  if (value !== undefined && blankAround.test(value) && !mayHaveBlanks) {
    throw new OAuthError('blank_around_credentials');
  }
  if (value === undefined || value === '' || controlCharacter.test(value)) {
    throw new OAuthError('malformed_credentials');
  }
  return value;
}

/** What is known of a client that fails is for the log only: the client if it exists, and the secret if one matched. */
type AuthenticationResult =
  | { readonly client: Client; readonly secret: ClientSecret; readonly failure?: undefined }
  | {
      readonly client: Client | undefined;
      readonly secret: ClientSecret | undefined;
      readonly failure: OAuthErrorReason;
    };

/**
 * Authenticates a client by its secret (RFC 6749 §3.2.1). Every failure costs one read and the same
 * hash comparisons.
 */
export async function authenticateClient(
  { clientId, clientSecret, sentSecret = clientSecret }: ClientCredentials,
  clients: ClientReader,
  now: number,
  options: PortOptions = {},
): Promise<AuthenticationResult> {
  const client = await clients.findClient(clientId, options);
  const secrets = client?.secrets ?? [];
  const [decoded, sent] = [findSecret(clientSecret, secrets), findSecret(sentSecret, secrets)];
  const secret = decoded ?? sent;
  const failure = findAuthenticationFailure(client, secret, now);
  if (client === undefined || secret === undefined || failure !== undefined) {
    return { client, secret, failure: failure ?? 'wrong_secret' };
  }
  return { client: withoutSyntheticAuthority(client), secret };
}

/**
 * Minimum number of comparisons for every attempt, also for an unknown client. Few clients have
 * more live secrets than two rotations leave, and a comparison costs less than a microsecond.
 */
const minComparisons = 4;

/** Compares with every secret, so the time does not depend on which one matches. */
function findSecret(value: string, secrets: readonly ClientSecret[]): ClientSecret | undefined {
  const hash = hashSecret(value);
  const missing = Math.max(0, minComparisons - secrets.length);
  for (let count = 0; count < missing; count += 1) equalsHash(hash, impossibleHash);
  return secrets.filter((secret) => equalsHash(hash, secret.hash ?? impossibleHash))[0];
}

/** Why a client fails to authenticate; `secret` is the one that matched. */
export function findAuthenticationFailure(
  client: Client | undefined,
  secret: ClientSecret | undefined,
  now: number,
): OAuthErrorReason | undefined {
  if (client === undefined) return 'unknown_client';
  if (client.provider !== undefined) return 'provider_client';
  if (secret === undefined) return client.secrets.length === 0 ? 'no_secret' : 'wrong_secret';
  if (secret.expiresAt !== undefined && now >= secret.expiresAt) return 'secret_expired';
  if (!isEnabled(secret)) return 'secret_disabled';
  return isEnabled(client) ? undefined : 'client_disabled';
}
