import { Aws, Validations } from 'aws-cdk-lib';
import {
  Alarm,
  AnomalyDetectionAlarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type Conditions, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import type { RegionId } from '../../contract/regions.ts';

/** Common properties of the alarms of one region. */
export interface AlarmContext {
  readonly deploymentName: string;
  readonly regionId: RegionId;
  readonly topic: ITopic;
}

export interface AlarmText {
  /** Last part of the alarm's name: `{deployment}-{region}-{id}`. */
  readonly id: string;
  /** One sentence for the person on call: what happened. */
  readonly description: string;
  /** Page of docs/runbook that says what to do. The default is the page with the id's name. */
  readonly page?: string;
}

export interface AlarmProps extends AlarmText {
  readonly metric: IMetric;
  /** Whether values below the threshold are bad. The default is those that reach it. */
  readonly isBelow?: boolean;
  /** @default 1 */
  readonly threshold?: number;
  /**
   * Instead of a threshold: standard deviations below what is usual at this hour of the week, as
   * CloudWatch has learned it from up to two weeks.
   */
  readonly belowUsualBy?: number;
  /** How many of the last periods must be bad: `[3, 5]`, @default [1, 1] */
  readonly bad?: readonly [bad: number, of: number];
  /** Whether missing data counts as a bad value. */
  readonly missingIsBad?: boolean;
  /** Whether no one is notified: only a deployment uses the alarm. */
  readonly silent?: boolean;
}

/** Adds an alarm. Unless it is silent, it notifies the topic when it begins and when it ends. */
export function addAlarm(scope: Construct, context: AlarmContext, props: AlarmProps): Alarm {
  const alarm = createAlarm(scope, props, alarmName(context, props.id));
  if (props.silent !== true) notify(alarm, context.topic);
  return alarm;
}

/** @param name without one, CloudFormation makes one. */
export function createAlarm(scope: Construct, props: AlarmProps, name?: string): Alarm {
  const { threshold = 1, bad: [bad, of] = [1, 1], isBelow = false, belowUsualBy } = props;
  const options = {
    ...(name !== undefined && { alarmName: name }),
    alarmDescription: alarmDescription(props),
    metric: props.metric,
    evaluationPeriods: of,
    datapointsToAlarm: bad,
    treatMissingData:
      props.missingIsBad === true ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  };
  const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD, LESS_THAN_LOWER_THRESHOLD } =
    ComparisonOperator;
  return belowUsualBy === undefined
    ? new Alarm(scope, props.id, {
        ...options,
        comparisonOperator: isBelow ? LESS_THAN_THRESHOLD : GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        threshold,
      })
    : new AnomalyDetectionAlarm(scope, props.id, {
        ...options,
        comparisonOperator: LESS_THAN_LOWER_THRESHOLD,
        stdDevs: belowUsualBy,
      });
}

export function notify(alarm: Alarm, topic: ITopic): void {
  const action = new SnsAction(topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
}

export function alarmName(
  context: Pick<AlarmContext, 'deploymentName' | 'regionId'>,
  id: string,
): string {
  return `${context.deploymentName}-${context.regionId}-${id}`;
}

export function runbookOf({ id, page = id }: AlarmText): string {
  return `docs/runbook/${page}.md`;
}

export function alarmDescription(alarm: AlarmText): string {
  return `${alarm.description} What to do: ${runbookOf(alarm)}`;
}

/** Name of the topic in each region. */
export function alarmTopicName(deploymentName: string): string {
  return `${deploymentName}-alarms`;
}

/** Lets a service of AWS publish to a topic. */
function allowPublish(topic: Topic, sid: string, service: string, conditions?: Conditions): void {
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid,
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      principals: [new ServicePrincipal(service)],
      ...(conditions !== undefined && { conditions }),
    }),
  );
}

/** The topic for the alarms of one region. */
export function addAlarmTopic(scope: Construct, { name, alarmEmails }: DeploymentConfig): Topic {
  const topic = new Topic(scope, 'Topic', { topicName: alarmTopicName(name), enforceSSL: true });
  // Without the condition, CloudWatch would publish for any account that knows the topic.
  allowPublish(topic, 'AlarmsOfThisAccount', 'cloudwatch.amazonaws.com', {
    StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
  });
  // EventBridge sends no condition keys when it publishes, so that a condition would refuse every
  // message: "Troubleshooting Amazon EventBridge" of its user guide.
  allowPublish(topic, 'Rules', 'events.amazonaws.com');
  for (const email of alarmEmails) topic.addSubscription(new EmailSubscription(email));
  Validations.of(topic).acknowledge({
    id: 'Serverless::Serverless-SNSRedrivePolicy',
    reason: 'SNS retries an email automatically, and an alarm stays on until its cause is removed.',
  });
  return topic;
}
