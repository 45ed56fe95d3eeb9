import type { Client } from '../client/client.ts';
import { encodeBase62 } from '../credential/credential-value.ts';

/** Claims of an access token (RFC 9068 §2.2): these and no others. */
export interface AccessTokenClaims {
  readonly iss: string;
  /** The client itself: there is no user. */
  readonly sub: string;
  readonly aud: string;
  readonly client_id: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly scope: string;
  /** The platform's account within which the client acts. */
  readonly service_trunk_group: string;
  /** The key that the token is bound to (RFC 9449 §6.1). */
  readonly cnf?: { readonly jkt: string };
}

interface AccessTokenGrant {
  readonly client: Client;
  readonly scopes: readonly string[];
  readonly audience: string;
  /** No token may outlive what authenticated the client: seconds since the epoch. */
  readonly latestExpiry?: number | undefined;
  /** RFC 7638 thumbprint of the key that the token is bound to. */
  readonly jkt?: string | undefined;
}

/**
 * @param values.now seconds since the epoch.
 * @param values.random 16 random bytes: 128 bits never collide (RFC 7519 §4.1.7).
 * @param settings.maxTokenLifetime limits the client's own lifetime, because keys stay published
 * only for that long.
 */
export function buildAccessTokenClaims(
  grant: AccessTokenGrant,
  values: { readonly now: number; readonly random: Uint8Array },
  settings: { readonly issuer: string; readonly maxTokenLifetime: number },
): AccessTokenClaims {
  const { client, scopes, audience, latestExpiry = Infinity, jkt } = grant;
  const lifetime = Math.min(client.tokenLifetime, settings.maxTokenLifetime);
  return {
    iss: settings.issuer,
    sub: client.clientId,
    aud: audience,
    client_id: client.clientId,
    iat: values.now,
    exp: Math.min(values.now + lifetime, latestExpiry),
    jti: encodeBase62(values.random),
    scope: scopes.join(' '),
    service_trunk_group: client.serviceTrunkGroup,
    ...(jkt !== undefined && { cnf: { jkt } }),
  };
}
