import type { ProofMode } from '../../contract/proof-algorithms.ts';
import { syntheticAuthority } from '../../contract/synthetic-check.ts';
import type { Client } from '../client/client.ts';
import { encodeBase62 } from '../credential/credential-value.ts';
import { OAuthError } from '../oauth-error.ts';

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

/**
 * The scopes that a token gets: the requested ones, or all of the client's if none are requested.
 * They are in the client's order, so the order of a request makes no difference.
 *
 * @param ignored what counts as not requested, unless the client has it.
 */
export function selectScopes(
  requested: readonly string[] | undefined,
  allowed: readonly string[],
  ignored?: readonly string[],
): readonly string[] {
  if (allowed.length === 0) throw new OAuthError('client_without_scopes');
  if (requested === undefined) return allowed;
  if (ignored !== undefined) {
    const rest = requested.filter((scope) => allowed.includes(scope) || !ignored.includes(scope));
    return selectScopes(rest.length > 0 ? rest : undefined, allowed);
  }
  if (!requested.every((scope) => allowed.includes(scope))) {
    throw new OAuthError('scope_not_granted');
  }
  return allowed.filter((scope) => requested.includes(scope));
}

const httpOrigin = /^(https?:\/\/[^/?#@]+)\/?$/;

/** RFC 3986 §6.2.3: an origin's empty path and `/` are equal. URL classes add the slash. */
function isSameResource(audience: string, resource: string): boolean {
  const [, origin] = httpOrigin.exec(resource) ?? [];
  return origin !== undefined && (audience === origin || audience === `${origin}/`);
}

/**
 * The `aud` of a token: the requested resource, or the client's default (RFC 9068 §3).
 *
 * @param audiences the client's own; if there are none, the deployment's default is the only one.
 */
export function selectAudience(
  resource: string | undefined,
  audiences: readonly string[],
  defaultAudience: string,
): string {
  const [first = defaultAudience, ...others] = audiences;
  if (resource === undefined || resource === first) return first;
  if (others.includes(resource)) return resource;
  const same = [first, ...others].find((audience) => isSameResource(audience, resource));
  if (same === undefined) throw new OAuthError('resource_not_allowed');
  return same;
}

const syntheticAudiences: readonly string[] = syntheticAuthority.audiences;

/** Which tokens are bound to keys. */
export interface ProofModes {
  readonly audiences: Readonly<Record<string, ProofMode>>;
  /** Of audiences without an entry, except that of the synthetic check. */
  readonly default?: ProofMode | undefined;
}

/**
 * Whether the tokens of an audience are bound to keys; undefined: never. Of two spellings of one
 * audience, the stricter one counts.
 */
export function findProofMode(
  { audiences, default: otherwise }: ProofModes,
  audience: string,
): ProofMode | undefined {
  const modes = Object.entries(audiences)
    .filter(([name]) => name === audience || isSameResource(name, audience))
    .map(([, mode]) => mode);
  if (modes.includes('required')) return 'required';
  return modes[0] ?? (syntheticAudiences.includes(audience) ? undefined : otherwise);
}

interface AuthorizedRequest {
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
 * @param settings.maxTokenLifetime caps the client's own lifetime, because keys stay published
 * only for that long.
 */
export function buildAccessTokenClaims(
  authorized: AuthorizedRequest,
  values: { readonly now: number; readonly random: Uint8Array },
  settings: { readonly issuer: string; readonly maxTokenLifetime: number },
): AccessTokenClaims {
  const { client, scopes, audience, latestExpiry = Infinity, jkt } = authorized;
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
