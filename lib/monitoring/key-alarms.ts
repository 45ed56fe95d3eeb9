import { Duration } from 'aws-cdk-lib';
import { type Alarm, ComparisonOperator, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventPattern } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import {
  type AlarmSource,
  type Alarm as KeyAlarm,
  keyAlarms,
  keyMetricFunctions,
  metricNamespace,
} from '../../contract/alarms.ts';
import type { FunctionName } from '../../contract/environment.ts';
import { functionArn, sessionArn } from '../functions/caller-arns.ts';
import { addEventAlarm } from './event-alarm.ts';
import { type AlarmContext, addAlarm } from './service-alarm.ts';

type MetricSource = Extract<AlarmSource, { kind: 'metric' }>;
type CallSource = Extract<AlarmSource, { kind: 'cloudtrail' }>;

const operators = {
  'at-least': ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  below: ComparisonOperator.LESS_THAN_THRESHOLD,
} as const;

/**
 * The alarms on signing keys. A call to KMS is seen through CloudTrail, which does not tell a
 * key's tags: every key of the account and region raises them, so that the service is best alone
 * in its account.
 */
export class KeyAlarms extends Construct {
  readonly alarms: readonly Alarm[];
  private readonly context: AlarmContext;

  constructor(scope: Construct, id: string, context: AlarmContext) {
    super(scope, id);
    this.context = context;
    this.alarms = keyAlarms.map((alarm) =>
      alarm.source.kind === 'metric'
        ? this.addMetricAlarm(alarm, alarm.source)
        : this.addCallAlarm(alarm, alarm.source),
    );
  }

  private addMetricAlarm(alarm: KeyAlarm, source: MetricSource): Alarm {
    return addAlarm(this, this.context, {
      ...alarm,
      metric: new Metric({
        namespace: metricNamespace(this.context.deploymentName),
        metricName: source.metricName,
        dimensionsMap: { service: keyMetricFunctions[source.metricName] },
        statistic: source.statistic,
        period: Duration.minutes(source.periodMinutes),
      }),
      operator: operators[source.when],
      threshold: source.threshold,
      periods: source.periods,
      missingIsBad: source.missingIsBad,
    });
  }

  private addCallAlarm(alarm: KeyAlarm, source: CallSource): Alarm {
    return addEventAlarm(this, this.context, {
      id: alarm.id,
      description: alarm.description,
      runbook: alarm.runbook,
      pattern: this.callPattern(source),
      // `Sign` counts as one.
      includesReads: true,
    });
  }

  private callPattern(source: CallSource): EventPattern {
    return {
      source: ['aws.kms'],
      detailType: ['AWS API Call via CloudTrail'],
      detail: {
        eventSource: ['kms.amazonaws.com'],
        eventName: [source.eventName],
        ...(source.exceptFunctions.length === 0 ? {} : this.byOthers(source.exceptFunctions)),
      },
    };
  }

  /**
   * Everyone but these functions. The session tells a function's role and name. CloudTrail adds
   * `inScopeOf` to calls of Lambda functions, with the function's ARN: it tells a function of the
   * same name in another AWS region. AWS does not promise the field for every call, so its absence
   * is no alarm. A caller without a session, e.g. the root user, is none of these functions.
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
