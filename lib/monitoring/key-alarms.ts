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
import { functionArn, sessionArn } from '../functions/caller-arns.ts';
import { addEventAlarm } from './event-alarm.ts';
import { type AlarmContext, type AlarmProps, type AlarmText, addAlarm } from './service-alarm.ts';
import { ServiceMetrics } from './service-metrics.ts';

/** A call to KMS that is an alarm, as CloudTrail reports it. */
interface KmsCall extends AlarmText {
  readonly eventName: string;
  /** Functions whose role does this in the ordinary course; any other caller is an alarm. */
  readonly exceptFunctions?: readonly FunctionName[];
}

const kmsCalls: readonly KmsCall[] = [
  {
    id: 'signing-key-disabled',
    eventName: 'DisableKey',
    description: 'A signing key was disabled, and not by the rotation.',
    exceptFunctions: ['key-rotation'],
  },
  {
    id: 'signing-key-deletion-scheduled',
    eventName: 'ScheduleKeyDeletion',
    description: 'Deletion of a signing key was requested, and not by the rotation.',
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
    description: 'Someone was granted the use of a signing key.',
  },
  {
    id: 'signing-key-created',
    eventName: 'CreateKey',
    description: 'A key was made in KMS, and not by the rotation.',
    exceptFunctions: ['key-rotation'],
  },
  {
    id: 'signing-key-foreign-sign',
    eventName: 'Sign',
    description: 'A signing key signed for a principal other than the token and canary functions.',
    exceptFunctions: ['token', 'canary'],
  },
];

/** A day: a rotation may wait for a slow region that long before a person must look. */
const overdueLimit = 86_400;

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
        description: 'A token of a signing key does not verify through the JWKS of a region.',
        metric: this.metric(keyMetrics.canaryFailure, keyScheduleMinutes),
        periods: 2,
      },
      {
        id: 'signing-key-removal-refused',
        description:
          'Someone asked to take a signing key that is in use out of use, and was refused.',
        metric: this.metric(keyMetrics.retainedKeyRefusal, 1),
      },
      {
        id: 'replication-lag',
        description:
          'The region does not see what other regions write: revocations may not have arrived.',
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
      // `Sign` counts as one.
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
   * Everyone but these functions. The session tells a function's role and name. CloudTrail adds
   * `inScopeOf` to calls of Lambda functions, with the function's ARN: it tells a function of the
   * same name in another AWS region. AWS does not promise the field for every call, so its absence
   * is no alarm. A caller without a session, e.g. the root user, is not one of these functions.
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
