import type { CanaryFinding } from '../../contract/function-events.ts';

/** A key may not sign yet: a region does not verify its tokens. */
export class PromotionRefusedError extends Error {
  override readonly name = 'PromotionRefusedError';
  readonly findings: readonly CanaryFinding[];

  constructor(kid: string, findings: readonly CanaryFinding[]) {
    const lagging = findings
      .filter((finding) => !finding.ok)
      .map((finding) => `${finding.region}: ${finding.reason ?? finding.problem ?? 'unknown'}`);
    super(`${kid} may not sign yet: ${lagging.join('; ') || 'no region has proved it'}`);
    this.findings = findings;
  }
}

/** A key is never published: the publisher found that others than the service may sign with it. */
export class PublicationRefusedError extends Error {
  override readonly name = 'PublicationRefusedError';

  constructor(kid: string, kmsKeyArn: string, faults: readonly string[]) {
    super(
      `${kid} (${kmsKeyArn}) is not published, and its deletion is scheduled: ${faults.join('; ')}`,
    );
  }
}

/** The key is in use, or its tokens may not have expired, so it must not be taken out of use. */
export class RetainedKeyError extends Error {
  override readonly name = 'RetainedKeyError';
}
