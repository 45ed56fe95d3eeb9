/** An access token that was verified, of this service or of a registered identity provider. */
export interface VerifiedAccessToken {
  readonly credential: 'access_token';
  /** `iss`: which of the accepted issuers vouches for the token. */
  readonly issuer: string;
  /** `sub`. Unique only together with {@link issuer}. */
  readonly subject: string;
  /** The client at this service, for tokens of any issuer. Unique without the issuer. */
  readonly clientId: string;
  /** What the client may do: the `scope` of an own token, else the client's scopes. */
  readonly scopes: readonly string[];
  readonly serviceTrunkGroup: string;
  /** `aud`. */
  readonly audiences: readonly string[];
  /** `jti`; a provider's token may have none. */
  readonly tokenId: string | undefined;
  /** `exp`, in seconds since the epoch. A decision must not be cached longer. */
  readonly expiresAt: number;
  /** RFC 7638 thumbprint of the key that the token is bound to. The request proved that it has it. */
  readonly boundTo?: string | undefined;
  /**
   * Why the client could not be looked up, if the check accepts tokens without it
   * (`onLookupFailure: 'accept'`). The client may be disabled or deleted, or the token revoked.
   */
  readonly lookupFailure?: Error | undefined;
}

/** An API key that was verified. */
export interface VerifiedApiKey {
  readonly credential: 'api_key';
  readonly keyId: string;
  readonly serviceTrunkGroup: string;
  /** The only scopes that the key has. Left out: it stands for its whole trunk group, and lacks none. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * When this value of the key stops working, in seconds since the epoch. A decision must not be cached
   * longer. Left out: it does not expire.
   */
  readonly expiresAt?: number | undefined;
}

/** Who makes a request. */
export type VerifiedCredential = VerifiedAccessToken | VerifiedApiKey;
