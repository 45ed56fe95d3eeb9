import { Duration } from 'aws-cdk-lib';
import { type Alarm, ComparisonOperator, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventPattern } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { FunctionName } from '../../contract/environment.ts';
import {
  type KeyMetric,
  keyMetricFunctions,
  keyMetrics,
  keyScheduleMinutes,
  missedRotationMinutes,
} from '../../contract/key-metrics.ts';
import { secondsPerDay } from '../../contract/limits.ts';
import { functionArn, sessionArn } from '../functions/service-function.ts';
import { addEventAlarm } from './event-alarm.ts';
import { type AlarmContext, type AlarmProps, type AlarmText, addAlarm } from './service-alarm.ts';
import { ServiceMetrics } from './service-metrics.ts';

/** A call to KMS that is an alarm, as CloudTrail reports it. */
interface KmsCall extends AlarmText {
  readonly eventName: string;
  /** Functions that make this call as planned. Any other caller raises the alarm. */
  readonly exceptFunctions?: readonly FunctionName[];
}

const kmsCalls: readonly KmsCall[] = [
  {
    id: 'signing-key-disabled',
    eventName: 'DisableKey',
    description: 'A caller other than the rotation disabled a signing key.',
    exceptFunctions: ['key-rotation'],
  },
  {
    id: 'signing-key-deletion-scheduled',
    eventName: 'ScheduleKeyDeletion',
    description: 'A caller other than the rotation requested the deletion of a signing key.',
    exceptFunctions: ['key-rotation'],
  },
  {
    id: 'signing-key-policy-changed',
    eventName: 'PutKeyPolicy',
    description: 'The policy of a signing key was changed.',
  },
  {
    id: 'signing-key-grant-created',
    eventName: 'CreateGrant',
    description: 'A caller created a grant on a signing key.',
  },
  {
    id: 'signing-key-created',
    eventName: 'CreateKey',
    description: 'A caller other than the rotation created a key in KMS.',
    exceptFunctions: ['key-rotation'],
  },
  {
    id: 'signing-key-foreign-sign',
    eventName: 'Sign',
    description: 'A signing key signed for a principal other than the token and canary functions.',
    exceptFunctions: ['token', 'canary'],
  },
];

/** A day: a rotation may wait that long for a slow region before an operator must act. */
const overdueLimit = secondsPerDay;

/** Three schedules, in seconds: one missed run in each other region stays below this. */
const replicationLagLimit = 3 * keyScheduleMinutes * 60;

/**
 * The alarms on signing keys. CloudTrail reports calls to KMS without the tags of the key, so every
 * key of the account and region raises these alarms. An account of its own suits the service best.
 */
export class KeyAlarms extends Construct {
  readonly alarms: readonly Alarm[];
  private readonly context: AlarmContext;

  constructor(scope: Construct, id: string, context: AlarmContext) {
    super(scope, id);
    this.context = context;
    this.alarms = [
      ...kmsCalls.map((call) => this.addCallAlarm(call)),
      ...this.metricAlarms().map((alarm) => addAlarm(this, context, alarm)),
    ];
  }

  private metricAlarms(): readonly AlarmProps[] {
    return [
      {
        id: 'signing-key-rotation-missed',
        description: 'The key rotation has not finished a run for half an hour.',
        metric: this.metric(keyMetrics.rotationRun, missedRotationMinutes),
        operator: ComparisonOperator.LESS_THAN_THRESHOLD,
        missingIsBad: true,
      },
      {
        id: 'signing-key-overdue',
        description: 'The signing key should have been replaced a day ago.',
        metric: this.metric(keyMetrics.overdue, keyScheduleMinutes, 'Maximum'),
        threshold: overdueLimit,
      },
      {
        id: 'signing-key-canary-failed',
        description:
          'A token of a signing key does not verify with the JWKS of a region, or the canary has not run.',
        metric: this.metric(keyMetrics.canaryFailure, keyScheduleMinutes),
        periods: 2,
        // Each run has a value. CloudWatch looks for them in more than the two periods, so a single
        // missed run is not bad.
        missingIsBad: true,
      },
      {
        id: 'signing-key-refused',
        description:
          'A new signing key was not published: others than the service may sign with it.',
        metric: this.metric(keyMetrics.keyRefused, keyScheduleMinutes),
      },
      {
        id: 'signing-key-removal-refused',
        description: 'The rotation refused a request to withdraw a signing key that is in use.',
        metric: this.metric(keyMetrics.retainedKeyRefusal, 1),
      },
      {
        id: 'replication-lag',
        description:
          'The region does not see writes of other regions: revocations may not have arrived.',
        metric: this.metric(keyMetrics.replicationLag, keyScheduleMinutes, 'Maximum'),
        threshold: replicationLagLimit,
      },
      {
        id: 'signing-key-jwks-full',
        description: 'The region has no next signing key, and the JWKS has no room for one.',
        metric: this.metric(keyMetrics.jwksFull, keyScheduleMinutes),
      },
      {
        id: 'jwks-empty',
        description: 'The JWKS endpoint has no key to publish.',
        metric: this.metric(keyMetrics.jwksEmpty, 1),
      },
    ];
  }

  private metric(name: KeyMetric, minutes: number, statistic?: string): Metric {
    return new ServiceMetrics({ name: this.context.deploymentName })
      .own(keyMetricFunctions[name], name, statistic)
      .with({ period: Duration.minutes(minutes) });
  }

  private addCallAlarm({ eventName, exceptFunctions = [], ...text }: KmsCall): Alarm {
    return addEventAlarm(this, this.context, {
      ...text,
      pattern: this.callPattern(eventName, exceptFunctions),
      // CloudTrail classifies `Sign` as a read.
      includesReads: true,
    });
  }

  private callPattern(eventName: string, except: readonly FunctionName[]): EventPattern {
    return {
      source: ['aws.kms'],
      detailType: ['AWS API Call via CloudTrail'],
      detail: {
        eventSource: ['kms.amazonaws.com'],
        eventName: [eventName],
        ...(except.length === 0 ? {} : this.byOthers(except)),
      },
    };
  }

  /**
   * Every caller except these functions. The session contains a function's role and name.
   * CloudTrail adds `inScopeOf` with the function's ARN to calls of Lambda functions. It identifies
   * a function of the same name in another AWS region. AWS does not promise the field for every
   * call, so its absence is no alarm. A caller without a session, e.g. the root user, is not one of
   * these functions.
   */
  private byOthers(names: readonly FunctionName[]): Record<string, unknown> {
    const { deploymentName, regionId } = this.context;
    const sessions = names.map((name) => sessionArn(this, deploymentName, regionId, name));
    const functions = names.map((name) => functionArn(this, deploymentName, name));
    const caller = (userIdentity: object) => ({ userIdentity });
    return {
      $or: [
        caller({ arn: [{ 'anything-but': sessions }] }),
        caller({ sessionContext: { sessionIssuer: { arn: [{ exists: false }] } } }),
        caller({ inScopeOf: { credentialsIssuedTo: [{ 'anything-but': functions }] } }),
      ],
    };
  }
}
