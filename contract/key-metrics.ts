import type { FunctionName } from './function-names.ts';

/**
 * Metrics of signing keys, by the function that emits them. Ages and delays are seconds. Two of them
 * say with each run that it was made; the others are emitted only when something is wrong, because
 * CloudWatch bills each metric for the hours in which it has a value.
 */
export const keyMetrics = {
  /** 1 when a run of the rotation has taken every step that was due. */
  rotationRun: 'SigningKeyRotationRun',
  /** How long the region's signing key has been due for rotation. */
  overdue: 'SigningKeyOverdue',
  /**
   * How long ago the last write of another region that this region can see was made, if that is
   * longer than {@link usualReplicationLag}.
   */
  replicationLag: 'ReplicationLag',
  /** 1 for each region whose JWKS did not verify a canary token; 0 for a run without one. */
  canaryFailure: 'SigningKeyCanaryFailure',
  /** 1 for each key that was not published because others than the service may sign with it. */
  keyRefused: 'SigningKeyRefused',
  /** 1 for each refused attempt to withdraw a key that is in use. */
  retainedKeyRefusal: 'SigningKeyRemovalRefused',
  /** 1 for each run that left the region without a `next` key, because the JWKS had no room. */
  jwksFull: 'SigningKeyJwksFull',
  /** 1 for each JWKS request that found no key to publish. */
  jwksEmpty: 'JwksEmpty',
} as const;

export type KeyMetric = (typeof keyMetrics)[keyof typeof keyMetrics];

/** Function whose `service` dimension a metric carries. */
export const keyMetricFunctions: Readonly<Record<KeyMetric, FunctionName>> = {
  [keyMetrics.rotationRun]: 'key-rotation',
  [keyMetrics.overdue]: 'key-rotation',
  [keyMetrics.replicationLag]: 'key-rotation',
  [keyMetrics.canaryFailure]: 'canary',
  [keyMetrics.keyRefused]: 'canary',
  [keyMetrics.retainedKeyRefusal]: 'key-rotation',
  [keyMetrics.jwksFull]: 'key-rotation',
  [keyMetrics.jwksEmpty]: 'jwks',
};

/** Minutes between two runs of the rotation, and of the canary: each costs a few reads. */
export const keyScheduleMinutes = 5;

/** Six schedules: a deployment can cause one missed run; after six, the rotation does not run. */
export const missedRotationMinutes = 6 * keyScheduleMinutes;

/**
 * Seconds: two schedules. Regions write once in each, so what a region sees of another is usually
 * up to one schedule old.
 */
export const usualReplicationLag = 2 * keyScheduleMinutes * 60;
