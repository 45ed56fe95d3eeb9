/** A problem that the person can solve. Its message is shown without a stack trace. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
}
