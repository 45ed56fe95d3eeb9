/** A registered OpenID Connect identity provider. Not editable: delete it and register again. */
export interface IdentityProvider {
  /** Exactly as in the discovery document and in the `iss` of its tokens. */
  readonly issuer: string;
  /** New with each registration; clients under the provider carry it. */
  readonly registrationId: string;
  readonly discoveryUrl: string;
  readonly jwksUri: string;
  /** The only `alg` values that its tokens may have. */
  readonly allowedAlgorithms: readonly string[];
  /** The claim that names the client; see `defaultClientIdClaims` if left out. */
  readonly clientIdClaim?: string | undefined;
  /** Where tokens without `aud` name their audience. Left out: a token without `aud` is refused. */
  readonly audienceFrom?: 'scope' | undefined;
  /** Whether the id of a client under the provider may be a pattern; see `patternsOf`. */
  readonly clientPatterns?: true | undefined;
  /** Seconds since the epoch. */
  readonly registeredAt: number;
}
