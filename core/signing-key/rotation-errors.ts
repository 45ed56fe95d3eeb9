import type { CanaryVerdict } from '../../contract/function-events.ts';

/** A key may not sign yet: a region does not verify its tokens. */
export class PromotionRefusedError extends Error {
  override readonly name = 'PromotionRefusedError';
  readonly verdicts: readonly CanaryVerdict[];

  constructor(kid: string, verdicts: readonly CanaryVerdict[]) {
    const lagging = verdicts
      .filter((verdict) => !verdict.ok)
      .map((verdict) => `${verdict.region}: ${verdict.reason ?? verdict.problem ?? 'unknown'}`);
    super(`${kid} may not sign yet: ${lagging.join('; ') || 'no region has proved it'}`);
    this.verdicts = verdicts;
  }
}

/** The key is in use, or its tokens may not have expired, so it must not be taken out of use. */
export class RetainedKeyError extends Error {
  override readonly name = 'RetainedKeyError';
}
