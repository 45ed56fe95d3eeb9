import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { secondsPerDay } from '../../contract/bounds.ts';
import type { FunctionName } from '../../contract/function-names.ts';
import {
  type KeyMetric,
  keyMetricFunctions,
  keyMetrics,
  keyScheduleMinutes,
  missedRotationMinutes,
} from '../../contract/key-metrics.ts';
import { functionArn, sessionArn } from '../functions/service-function.ts';
import { addEventAlarm } from './event-alarm.ts';
import { type AlarmContext, type AlarmProps, type AlarmText, addAlarm } from './service-alarm.ts';
import { ServiceMetrics } from './service-metrics.ts';

/** A call to KMS that is an alarm, as CloudTrail reports it. */
interface KmsCall extends AlarmText {
  readonly eventNames: readonly string[];
  /** Functions that make this call as planned. Any other caller raises the alarm. */
  readonly exceptFunctions?: readonly FunctionName[];
}

const kmsCalls: readonly KmsCall[] = [
  {
    id: 'signing-key-disabled',
    eventNames: ['DisableKey'],
    description: 'A caller other than the rotation disabled a signing key.',
    exceptFunctions: ['key-rotation'],
  },
  {
    id: 'signing-key-deletion-scheduled',
    eventNames: ['ScheduleKeyDeletion'],
    description: 'A caller other than the rotation requested the deletion of a signing key.',
    exceptFunctions: ['key-rotation'],
  },
  {
    id: 'signing-key-policy-changed',
    eventNames: ['PutKeyPolicy'],
    description: 'The policy of a signing key was changed.',
  },
  {
    // With another value, the roles do not find the key either. CreateKey sends its own tags.
    id: 'signing-key-untagged',
    eventNames: ['UntagResource', 'TagResource'],
    description: 'A tag of a signing key was removed or changed. Without it, no key signs.',
  },
  {
    id: 'signing-key-grant-created',
    eventNames: ['CreateGrant'],
    description: 'A caller created a grant on a signing key.',
  },
  {
    id: 'signing-key-created',
    eventNames: ['CreateKey'],
    description: 'A caller other than the rotation created a key in KMS.',
    exceptFunctions: ['key-rotation'],
  },
  {
    id: 'signing-key-foreign-sign',
    eventNames: ['Sign'],
    description: 'A signing key signed for a principal other than the token and canary functions.',
    exceptFunctions: ['token', 'canary'],
  },
];

/** A day: a rotation may wait that long for a slow region before an operator must act. */
const overdueSeconds = secondsPerDay;

/** Three schedules, in seconds: one missed run in each other region stays below this. */
const maxReplicationLag = 3 * keyScheduleMinutes * 60;

function metricAlarms(metrics: ServiceMetrics): readonly AlarmProps[] {
  const read = (name: KeyMetric, minutes: number, statistic?: 'Maximum') =>
    metrics.own(keyMetricFunctions[name], name, { minutes, ...(statistic && { statistic }) });
  return [
    {
      id: 'signing-key-rotation-missed',
      isTicket: true,
      description: 'The key rotation has not finished a run for half an hour.',
      metric: read(keyMetrics.rotationRun, missedRotationMinutes),
      isBelow: true,
      missingIsBad: true,
    },
    {
      id: 'signing-key-overdue',
      isTicket: true,
      description: 'The signing key should have been replaced a day ago.',
      metric: read(keyMetrics.overdue, keyScheduleMinutes, 'Maximum'),
      threshold: overdueSeconds,
    },
    {
      id: 'signing-key-canary-failed',
      description:
        'A token of a signing key does not verify with the JWKS of a region, or the canary has not run.',
      metric: read(keyMetrics.canaryFailure, keyScheduleMinutes),
      bad: [2, 2],
      // Each run has a value. CloudWatch looks for them in more than the two periods, so a single
      // missed run is not bad.
      missingIsBad: true,
    },
    {
      id: 'signing-key-refused',
      isTicket: true,
      description: 'A new signing key was not published: others than the service may sign with it.',
      metric: read(keyMetrics.keyRefused, keyScheduleMinutes),
    },
    {
      id: 'signing-key-removal-refused',
      isTicket: true,
      description: 'The rotation refused a request to withdraw a signing key that is in use.',
      metric: read(keyMetrics.retainedKeyRefusal, 1),
    },
    {
      id: 'replication-lag',
      description:
        'The region does not see writes of other regions: revocations may not have arrived.',
      metric: read(keyMetrics.replicationLag, keyScheduleMinutes, 'Maximum'),
      threshold: maxReplicationLag,
    },
    {
      id: 'signing-key-jwks-full',
      isTicket: true,
      description: 'The region has no next signing key, and the JWKS has no room for one.',
      metric: read(keyMetrics.jwksFull, keyScheduleMinutes),
    },
    {
      id: 'jwks-empty',
      description: 'The JWKS endpoint has no key to publish.',
      metric: read(keyMetrics.jwksEmpty, 1),
    },
  ];
}

/**
 * Every caller except these functions. The session contains a function's role and name.
 * CloudTrail adds `inScopeOf` with the function's ARN to calls of Lambda functions. It identifies
 * a function of the same name in another AWS region. AWS does not promise the field for every
 * call, so its absence is no alarm. A caller without a session, e.g. the root user, is not one of
 * these functions.
 */
function byOthers(
  scope: Construct,
  { deploymentName, regionId }: AlarmContext,
  names: readonly FunctionName[],
): object {
  const sessions = names.map((name) => sessionArn(scope, deploymentName, regionId, name));
  const functions = names.map((name) => functionArn(scope, deploymentName, name));
  const caller = (userIdentity: object) => ({ userIdentity });
  return {
    $or: [
      caller({ arn: [{ 'anything-but': sessions }] }),
      caller({ sessionContext: { sessionIssuer: { arn: [{ exists: false }] } } }),
      caller({ inScopeOf: { credentialsIssuedTo: [{ 'anything-but': functions }] } }),
    ],
  };
}

/**
 * The alarms on signing keys. CloudTrail reports calls to KMS without the tags of the key, so every
 * key of the account and region raises these alarms. An account of its own suits the service best.
 */
export function addKeyAlarms(scope: Construct, context: AlarmContext): readonly Alarm[] {
  const ofCalls = kmsCalls.map(({ eventNames, exceptFunctions, ...text }) =>
    addEventAlarm(scope, context, {
      ...text,
      pattern: {
        source: ['aws.kms'],
        detailType: ['AWS API Call via CloudTrail'],
        detail: {
          eventSource: ['kms.amazonaws.com'],
          eventName: [...eventNames],
          ...(exceptFunctions && byOthers(scope, context, exceptFunctions)),
        },
      },
      // CloudTrail classifies `Sign` as a read.
      includesReads: true,
    }),
  );
  const metrics = new ServiceMetrics({ name: context.deploymentName });
  return [...ofCalls, ...metricAlarms(metrics).map((alarm) => addAlarm(scope, context, alarm))];
}
