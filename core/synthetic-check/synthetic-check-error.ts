export type SyntheticStep = 'secret' | 'token' | 'jwks' | 'verification';

/** A failed step of the synthetic check. Its message holds no credential. */
export class SyntheticCheckError extends Error {
  override readonly name = 'SyntheticCheckError';
  readonly step: SyntheticStep;

  constructor(step: SyntheticStep, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.step = step;
  }
}
