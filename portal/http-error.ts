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
