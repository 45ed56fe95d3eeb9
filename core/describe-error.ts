/** Names of an error and its causes: `UnavailableError < ThrottlingException`. */
function namesOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error.cause === undefined ? error.name : `${error.name} < ${namesOf(error.cause)}`;
}

/** Log fields of an error that the caller did not cause. No response contains any of them. */
export function describeError(error: unknown): Readonly<Record<string, string | undefined>> {
  if (error === undefined) return {};
  if (!(error instanceof Error)) return { error_name: namesOf(error) };
  return { error_name: namesOf(error), error_message: error.message, error_stack: error.stack };
}
