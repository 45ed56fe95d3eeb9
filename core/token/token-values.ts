import type { ThrottleReason } from '../errors.ts';
import type { KeyRefusal } from '../signing-key/sign-jws.ts';
import type { secretInBody } from './capabilities.ts';

/** The state of recording the secret's use when the token was signed. */
export type SecretUse = 'not_due' | 'recorded' | 'pending' | 'failed';

/** Log fields of an assertion, whose issuer is registered and signed the rest, and of a proof. */
interface FurtherFields {
  readonly assertion_issuer?: string;
  readonly assertion_subject?: string;
  readonly assertion_jti?: string | undefined;
  /** Thumbprint of the key that the token is bound to. */
  readonly bound_to?: string;
  /** What is wrong with a proof: one of a closed set. */
  readonly proof_part?: string | undefined;
}

/**
 * Log fields of a token request. They contain no credential, and no text that a caller chose. Each
 * field is set when it is known, so a failure is logged with all fields before it.
 */
export interface TokenLogFields {
  /** The id of an existing client, or a text with the form of a client id. */
  clientId?: string;
  secretId?: string;
  /** Set if the secret was in the body, and accepted there. */
  method?: typeof secretInBody;
  /** Set if the accepted secret expires soon: seconds since the epoch. */
  secretExpiresAt?: number | undefined;
  scope?: string;
  aud?: string;
  jti?: string;
  kid?: string;
  /** Keys that were tried before `kid` and could not sign. */
  refusals?: readonly KeyRefusal[];
  secretUse?: SecretUse;
  /** What the function's other files know. */
  further?: FurtherFields;
  /** Set if an assertion authenticated the client. */
  isWorkload?: true;
  /** Why the client gets no new token, also if that is only counted. */
  clientThrottle?: ThrottleReason;
  /** Percentage of the new tokens of this instance that the client asks for, if those are many. */
  largestShare?: number | undefined;
  /** Further metrics, whose value is 1. */
  counts?: readonly string[];
}

/** Values that differ in each token request. */
export interface TokenValues {
  /** Seconds since the epoch. */
  readonly now: number;
  /** 16 random bytes. */
  readonly random: Uint8Array;
  /** The network address of the caller, which the caller cannot choose. */
  readonly source: string;
  /** Aborts every call when the request's deadline passes. */
  readonly signal?: AbortSignal | undefined;
  /** Filled in by the steps. */
  readonly log: TokenLogFields;
}
