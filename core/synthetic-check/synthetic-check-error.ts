export type SyntheticStep = 'secret' | 'token' | 'jwks' | 'verification' | 'issuer';

/** A failed step of the synthetic check. Its message holds no credential. */
export class SyntheticCheckError extends Error {
  override readonly name = 'SyntheticCheckError';
  readonly step: SyntheticStep;

  constructor(step: SyntheticStep, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.step = step;
  }
}

/**
 * Adds the step to any failure.
 *
 * @throws {SyntheticCheckError} if `run` fails.
 */
export async function inStep<T>(step: SyntheticStep, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof SyntheticCheckError) throw cause;
    const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : 'an unknown error';
    throw new SyntheticCheckError(step, why, { cause });
  }
}
