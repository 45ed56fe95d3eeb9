/** What may be logged of a token request: no credential, and no text that a caller chose. */
export interface TokenFacts {
  /** Of an existing client, or of the form that ids of clients have. */
  readonly clientId?: string;
  readonly secretId?: string;
  /** Where a secret that was accepted ends soon: seconds since the epoch. */
  readonly secretExpiresAt?: number;
  readonly scope?: string;
  readonly aud?: string;
  readonly jti?: string;
  readonly kid?: string;
  /** kids of keys that were tried before `kid` and could not sign. */
  readonly unusableKids?: readonly string[];
  /** Whether the token had been given before. */
  readonly isReused?: boolean;
  readonly secretUse?: SecretUse;
}

/** What became of noting the secret's use by the time that the token was signed. */
export type SecretUse = 'not_due' | 'recorded' | 'pending' | 'failed';

/** Takes each fact as soon as it is known, so that a failure later on still has those before it. */
export type NoteTokenFacts = (facts: TokenFacts) => void;
