/** A backing service did not answer, or not in time: the caller may come back later. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}

/** A client authenticated wrongly too often: its attempts are not looked at for a while. */
export class TooManyFailuresError extends Error {
  override readonly name = 'TooManyFailuresError';
  /** Seconds. */
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super('too many failed authentications of this client from this source');
    this.retryAfter = retryAfter;
  }
}

/**
 * KMS knows the signing key but will not sign with it: disabled, pending deletion, or unusable for
 * this algorithm. Trying again does not help; another published key may.
 */
export class SigningKeyUnusableError extends Error {
  override readonly name = 'SigningKeyUnusableError';
}

/** A stored record that cannot be read. It fails what depends on it, closed, and nothing else. */
export class MalformedRecordError extends Error {
  override readonly name = 'MalformedRecordError';
}

/** A record was changed meanwhile: read it again and decide anew. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/**
 * A conflict after an answer was lost: the change may have been made by the first attempt, and
 * have been changed again since by somebody else.
 */
export class UncertainConflictError extends ConflictError {}

/** A value that a person gave and that is not allowed. Says the value and what is allowed. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** A change that is well-formed and that the rules do not allow as things stand. Says why. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** What a person names does not exist. */
export class NotFoundError extends RefusedError {
  constructor(kind: string, id: string) {
    super(`there is no ${kind} ${JSON.stringify(id)}`);
  }
}
