/** What became of recording the secret's use by the time that the token was signed. */
export type SecretUse = 'not_due' | 'recorded' | 'pending' | 'failed';

/**
 * What the log says of a token request: no credential, and no text that a caller chose. Each field
 * is set as soon as it is known, so that a later failure still has those before it.
 */
export interface TokenLogFields {
  /** Of an existing client, or of the form that ids of clients have. */
  clientId?: string;
  secretId?: string;
  /** If a secret that was accepted ends soon: seconds since the epoch. */
  secretExpiresAt?: number;
  scope?: string;
  aud?: string;
  jti?: string;
  kid?: string;
  /** kids of keys that were tried before `kid` and could not sign. */
  unusableKids?: readonly string[];
  /** Whether the token had been given before. */
  isReused?: boolean;
  secretUse?: SecretUse;
}

/** What is different in each token request. */
export interface TokenValues {
  /** Seconds since the epoch. */
  readonly now: number;
  /** 16 random bytes. */
  readonly random: Uint8Array;
  /** Network address that the request came from, which the caller cannot choose. */
  readonly source: string;
  /** Ends every port's call when the request's deadline passes. */
  readonly signal?: AbortSignal | undefined;
  /** Filled in on the way. */
  readonly log: TokenLogFields;
}
