/** A backing service did not answer, or not in time: the caller may come back later. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

/** A stored record that cannot be read. It fails what depends on it, closed, and nothing else. */
export class MalformedRecordError extends Error {
  override readonly name = 'MalformedRecordError';
}

/** A record was changed meanwhile: read it again and decide anew. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}
