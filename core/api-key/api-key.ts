/** One entry of an API key's access control list. */
export interface ApiKeySubnet {
  readonly subnetId: string;
  readonly name: string;
  /** Network address in canonical text, IPv4 or IPv6, host bits zero. */
  readonly address: string;
  /** Number of leading one bits of the netmask. Never 0: an empty list means every source. */
  readonly prefixLength: number;
}

/** A long-lived bearer credential of a person. Times are seconds since the epoch. */
export interface ApiKey {
  readonly keyId: string;
  /** See core/credential/secret-hash.ts. The value itself is never kept. */
  readonly hash: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly serviceTrunkGroup: string;
  /** Sources that may use the key. Empty: every source. */
  readonly subnets: readonly ApiKeySubnet[];
  /** The only scopes that it satisfies, never none. Undefined: every scope. */
  readonly scopes?: readonly string[] | undefined;
  /** The first second at which it no longer works; never if undefined. */
  readonly expiresAt?: number | undefined;
  /** Grows by one with each change; guards against lost updates. As of a client. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}
