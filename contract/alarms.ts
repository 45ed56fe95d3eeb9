import type { FunctionName } from './environment.ts';

/** CloudWatch namespace of the metrics of a function that runs outside a deployment. */
export const commonMetricNamespace = 'AuthorizationServer';

/**
 * CloudWatch namespace of every metric that a deployment's functions emit. Metrics stand under the
 * function's short name, which two deployments in one account and AWS region share.
 */
export function metricNamespace(deploymentName: string): string {
  return `${commonMetricNamespace}/${deploymentName}`;
}

/** Metrics of signing keys, by the function that emits them. Ages and delays are seconds. */
export const keyMetrics = {
  /** 1 at the end of each run of the rotation that did all that was due. */
  rotationRun: 'SigningKeyRotationRun',
  /** How long the region's signing key has been due for rotation; 0 while it is not. */
  overdue: 'SigningKeyOverdue',
  /** How long ago another region last wrote what this one can see; 0 if there is no other. */
  replicationLag: 'ReplicationLag',
  /** 1 for each region whose JWKS did not verify a canary token. */
  canaryFailure: 'SigningKeyCanaryFailure',
  /** 1 for each refused attempt to take a key that is in use out of use. */
  retainedKeyRefusal: 'SigningKeyRemovalRefused',
  /** 1 for each JWKS request that found no key to publish. */
  jwksEmpty: 'JwksEmpty',
} as const;

/** Function whose `service` dimension a metric carries. */
export const keyMetricFunctions: Readonly<
  Record<(typeof keyMetrics)[keyof typeof keyMetrics], FunctionName>
> = {
  [keyMetrics.rotationRun]: 'key-rotation',
  [keyMetrics.overdue]: 'key-rotation',
  [keyMetrics.replicationLag]: 'key-rotation',
  [keyMetrics.canaryFailure]: 'canary',
  [keyMetrics.retainedKeyRefusal]: 'key-rotation',
  [keyMetrics.jwksEmpty]: 'jwks',
};

/** Minutes between two runs of the rotation, and of the canary: each costs a few reads. */
export const keyScheduleMinutes = 5;

/** What an alarm watches. */
export type AlarmSource =
  | {
      /** A call to KMS, as CloudTrail reports it, on a key that carries the deployment's tag. */
      readonly kind: 'cloudtrail';
      readonly eventName: string;
      /** Functions whose role does this in the ordinary course; anybody else is an alarm. */
      readonly exceptFunctions: readonly FunctionName[];
    }
  | {
      readonly kind: 'metric';
      readonly metricName: (typeof keyMetrics)[keyof typeof keyMetrics];
      /** CloudWatch `ComparisonOperator` in short: alarm when the value is … the threshold. */
      readonly when: 'at-least' | 'below';
      readonly threshold: number;
      readonly statistic: 'Sum' | 'Maximum';
      readonly periodMinutes: number;
      /** Periods in a row that must be bad. */
      readonly periods: number;
      /** Whether no data is as bad as a bad value. */
      readonly missingIsBad: boolean;
    };

export interface Alarm {
  /** Last part of the alarm's name: `{deployment}-{region}-{id}`. */
  readonly id: string;
  /** One sentence for the person who is woken: what happened. */
  readonly description: string;
  /** Page that says what to do. */
  readonly runbook: string;
  readonly source: AlarmSource;
}

function kmsCall(
  id: string,
  eventName: string,
  description: string,
  exceptFunctions: readonly FunctionName[],
): Alarm {
  return {
    id,
    description,
    runbook: `docs/runbook/${id}.md`,
    source: { kind: 'cloudtrail', eventName, exceptFunctions },
  };
}

function keyMetric(
  id: string,
  metricName: (typeof keyMetrics)[keyof typeof keyMetrics],
  description: string,
  source: Partial<Extract<AlarmSource, { kind: 'metric' }>> = {},
): Alarm {
  return {
    id,
    description,
    runbook: `docs/runbook/${id}.md`,
    source: {
      kind: 'metric',
      metricName,
      when: 'at-least',
      threshold: 1,
      statistic: 'Sum',
      periodMinutes: 1,
      periods: 1,
      missingIsBad: false,
      ...source,
    },
  };
}

/** A day: a rotation may wait for a slow region that long before a person must look. */
const overdueLimit = 86_400;

/** Six schedules: one missed run is a deployment, six are a rotation that does not run. */
export const missedRotationMinutes = 6 * keyScheduleMinutes;

/** Three schedules, in seconds: a missed run of every other region is none of these. */
const replicationLagLimit = 3 * keyScheduleMinutes * 60;

/**
 * The alarms on signing keys. EventBridge delivers `Sign`, a read-only management event, only to a
 * rule in the state `ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS`.
 */
export const keyAlarms: readonly Alarm[] = [
  kmsCall(
    'signing-key-disabled',
    'DisableKey',
    'A signing key was disabled, and not by the rotation.',
    ['key-rotation'],
  ),
  kmsCall(
    'signing-key-deletion-scheduled',
    'ScheduleKeyDeletion',
    'Deletion of a signing key was requested, and not by the rotation.',
    ['key-rotation'],
  ),
  kmsCall(
    'signing-key-policy-changed',
    'PutKeyPolicy',
    'The policy of a signing key was changed.',
    [],
  ),
  kmsCall(
    'signing-key-grant-created',
    'CreateGrant',
    'Someone was granted the use of a signing key.',
    [],
  ),
  kmsCall('signing-key-created', 'CreateKey', 'A key was made in KMS, and not by the rotation.', [
    'key-rotation',
  ]),
  kmsCall(
    'signing-key-foreign-sign',
    'Sign',
    'A signing key signed for a principal other than the token and canary functions.',
    ['token', 'canary'],
  ),
  keyMetric(
    'signing-key-rotation-missed',
    keyMetrics.rotationRun,
    'The key rotation has not finished a run for half an hour.',
    {
      when: 'below',
      periodMinutes: missedRotationMinutes,
      missingIsBad: true,
    },
  ),
  keyMetric(
    'signing-key-overdue',
    keyMetrics.overdue,
    'The signing key should have been replaced a day ago.',
    { statistic: 'Maximum', threshold: overdueLimit, periodMinutes: keyScheduleMinutes },
  ),
  keyMetric(
    'signing-key-canary-failed',
    keyMetrics.canaryFailure,
    'A token of a signing key does not verify through the JWKS of a region.',
    { periodMinutes: keyScheduleMinutes, periods: 2 },
  ),
  keyMetric(
    'signing-key-removal-refused',
    keyMetrics.retainedKeyRefusal,
    'Someone asked to take a signing key that is in use out of use, and was refused.',
  ),
  keyMetric(
    'replication-lag',
    keyMetrics.replicationLag,
    'The region does not see what other regions write: revocations may not have arrived.',
    {
      statistic: 'Maximum',
      threshold: replicationLagLimit,
      periodMinutes: keyScheduleMinutes,
    },
  ),
  keyMetric('jwks-empty', keyMetrics.jwksEmpty, 'The JWKS endpoint has no key to publish.'),
];
