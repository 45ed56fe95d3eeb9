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

/** A key that is in use, or whose tokens may still live, is not taken out of use. */
export class RetainedKeyError extends Error {
  override readonly name = 'RetainedKeyError';
}
