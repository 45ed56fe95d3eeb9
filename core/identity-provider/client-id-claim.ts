import { maxExternalIdLength } from '../../contract/bounds.ts';
import { ownValue } from '../../contract/own-value.ts';

/**
 * The claims that name the client if the registration chose none: the first of them that a token
 * has. RFC 9068 §2.2 has `client_id`, OpenID Connect Core §2 `azp`; else the subject is the client.
 */
export const defaultClientIdClaims = ['client_id', 'azp', 'sub'] as const;

/** Claims that providers assign themselves: no user of the provider can write their values. */
export const assignedClaims: ReadonlySet<string> = new Set([
  ...defaultClientIdClaims,
  // Microsoft Entra ID v1 access tokens.
  'appid',
  // Okta's authorization servers.
  'cid',
]);

/** Registered claims that name no one (RFC 7519 §4.1, RFC 9068 §2.2). */
const claimsOfTheToken: ReadonlySet<string> = new Set([
  'iss',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'auth_time',
  'nonce',
  'scope',
  'scp',
]);

/** Printable ASCII without space; some providers use URLs as names of claims. */
const claimName = /^[\x21-\x7E]{1,128}$/;

/** Whether a claim can name a client. */
export function canNameClient(name: string): boolean {
  return claimName.test(name) && !claimsOfTheToken.has(name);
}

/** Why a person has to confirm the claim; undefined if only the provider writes it. */
export function describeClaimRisk(claim: string | undefined): string | undefined {
  if (claim === undefined || assignedClaims.has(claim)) return undefined;
  return `the claim ${JSON.stringify(claim)} is not known to be written only by the provider. If users of the provider can write it, such as a name or an unverified email address, each of them can call as any client`;
}

interface NamedClient {
  /** The claim that names the client, or the claims that might have. */
  readonly claim: string;
  /** Undefined if its value is no id. */
  readonly id: string | undefined;
  readonly received: unknown;
}

/**
 * The client's id at its provider. Only one claim is read: if its value is not an id, no other
 * claim is tried.
 *
 * @param chosen the claim of the registration; the first of {@link defaultClientIdClaims} that the
 *   token has if it chose none.
 */
export function readNamedClient(
  claims: Readonly<Record<string, unknown>>,
  chosen: string | undefined,
): NamedClient {
  const claim = chosen ?? defaultClientIdClaims.find((name) => Object.hasOwn(claims, name));
  const names = claim ?? defaultClientIdClaims.join(' or ');
  const received = claim === undefined ? undefined : ownValue(claims, claim);
  const isId =
    typeof received === 'string' && received !== '' && received.length <= maxExternalIdLength;
  return { claim: names, id: isId ? received : undefined, received };
}
