/** A request that no page answers, by its status. */
export type HttpStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421;

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: HttpStatus;

  constructor(status: HttpStatus) {
    super(`HTTP status ${status}`);
    this.status = status;
  }
}

/** The person must sign in again before a credential is created. */
export class LoginNeededError extends Error {
  override readonly name = 'LoginNeededError';
  /** Where to sign in. */
  readonly address: string;

  constructor(address: string) {
    super('a recent login is needed');
    this.address = address;
  }
}

/** The person has more trunk groups than the management library takes. */
export class TooManyTrunkGroupsError extends Error {
  override readonly name = 'TooManyTrunkGroupsError';
  readonly count: number;

  constructor(count: number) {
    super(`${count} service trunk groups`);
    this.count = count;
  }
}
