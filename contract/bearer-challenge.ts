/** Error codes of RFC 6750 §3.1, and of RFC 9449 §7.1 and §9. */
export type BearerErrorCode =
  | 'invalid_request'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce';

/** Names the protection space (RFC 9110 §11.5) of platform APIs that choose no other name. */
export const defaultBearerRealm = 'platform';

/** The parameters of a `Bearer` challenge (RFC 6750 §3). */
export interface BearerChallenge {
  readonly realm: string;
  /** Left out if the request carried no credential at all (RFC 6750 §3.1). */
  readonly error?: BearerErrorCode | undefined;
  readonly description?: string | undefined;
  /** Scopes that the resource requires, separated by a space. */
  readonly scope?: string | undefined;
  /** URL of the API's metadata (RFC 9728 §5.1). */
  readonly resourceMetadata?: string | undefined;
  /** `alg` values of proofs, separated by a space: the challenge is one of DPoP (RFC 9449 §7.1). */
  readonly proofAlgs?: string | undefined;
}

/** RFC 6750 §3: `%x20-21 / %x23-5B / %x5D-7E`, so that nothing in the value needs an escape. */
const quotable = /^[\x20\x21\x23-\x5B\x5D-\x7E]*$/;

function parameter(name: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  if (!quotable.test(value)) {
    throw new RangeError(
      `${name} of a challenge: received ${JSON.stringify(value)}; allowed: printable ASCII without " and \\`,
    );
  }
  return [`${name}="${value}"`];
}

/**
 * The value of a `WWW-Authenticate` header (RFC 6750 §3).
 *
 * @throws {RangeError} for a value that the header cannot carry.
 */
export function formatBearerChallenge(challenge: BearerChallenge): string {
  const parameters = [
    ...parameter('realm', challenge.realm),
    ...parameter('error', challenge.error),
    ...parameter('error_description', challenge.description),
    ...parameter('scope', challenge.scope),
    ...parameter('resource_metadata', challenge.resourceMetadata),
    ...parameter('algs', challenge.proofAlgs),
  ];
  const scheme = challenge.proofAlgs === undefined ? 'Bearer' : 'DPoP';
  return `${scheme} ${parameters.join(', ')}`;
}

/** A `Bearer` challenge, and one of DPoP if the API checks proofs: one header may have several (RFC 9110 §11.6.1). */
export function formatChallenges({ proofAlgs, ...bearer }: BearerChallenge): string {
  const first = formatBearerChallenge(bearer);
  if (proofAlgs === undefined) return first;
  return `${first}, ${formatBearerChallenge({ realm: bearer.realm, proofAlgs })}`;
}
