import { keyMetrics } from '../../../contract/key-metrics.ts';
import { requestMetrics } from '../../../contract/request-metrics.ts';
import { syntheticMetrics } from '../../../contract/synthetic-check.ts';

/**
 * Metrics that have a value in each hour, although no client asks and nothing is wrong. CloudWatch
 * bills these for whole months, and all others only for the hours in which something happens.
 */
export const restingMetrics = {
  /** Of each region: the tokens of the synthetic check, and that its three schedules run. */
  ofRegion: [
    requestMetrics.requests,
    keyMetrics.rotationRun,
    keyMetrics.canaryFailure,
    syntheticMetrics.passed,
  ],
  /** Of each region whose issuer has a name of its own. */
  ofDomain: [syntheticMetrics.issuerPassed],
} as const;
