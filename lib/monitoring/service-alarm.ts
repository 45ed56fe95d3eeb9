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
import { Construct } from 'constructs';
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
  /** Which values are bad. The default is those that reach the threshold. */
  readonly operator?: ComparisonOperator;
  /** @default 1 */
  readonly threshold?: number;
  /**
   * Instead of a threshold: standard deviations below what is usual at this hour of the week, as
   * CloudWatch has learned it from up to two weeks.
   */
  readonly belowUsualBy?: number;
  /** Evaluated periods, @default 1, and how many of them must be bad, by default all. */
  readonly periods?: number;
  readonly badPeriods?: number;
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
  const { threshold = 1, periods = 1, belowUsualBy } = props;
  const options = {
    ...(name !== undefined && { alarmName: name }),
    alarmDescription: alarmDescription(props),
    metric: props.metric,
    evaluationPeriods: periods,
    datapointsToAlarm: props.badPeriods ?? periods,
    treatMissingData:
      props.missingIsBad === true ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  };
  return belowUsualBy === undefined
    ? new Alarm(scope, props.id, {
        ...options,
        comparisonOperator: props.operator ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        threshold,
      })
    : new AnomalyDetectionAlarm(scope, props.id, {
        ...options,
        comparisonOperator: ComparisonOperator.LESS_THAN_LOWER_THRESHOLD,
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

interface AlarmTopicProps {
  readonly deploymentName: string;
  readonly emails: readonly string[];
}

/** Name of the topic in each region. */
export function alarmTopicName(deploymentName: string): string {
  return `${deploymentName}-alarms`;
}

/** The topic for the alarms of one region. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: AlarmTopicProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', {
      topicName: alarmTopicName(props.deploymentName),
      enforceSSL: true,
    });
    // Without the condition, CloudWatch would publish for any account that knows the topic.
    this.allowPublish('AlarmsOfThisAccount', 'cloudwatch.amazonaws.com', {
      StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
    });
    // EventBridge sends no condition keys when it publishes, so that a condition would refuse every
    // message: "Troubleshooting Amazon EventBridge" of its user guide.
    this.allowPublish('Rules', 'events.amazonaws.com');
    for (const email of props.emails) this.topic.addSubscription(new EmailSubscription(email));
    this.acknowledge();
  }

  private allowPublish(sid: string, service: string, conditions?: Conditions): void {
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid,
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        principals: [new ServicePrincipal(service)],
        ...(conditions !== undefined && { conditions }),
      }),
    );
  }

  private acknowledge(): void {
    Validations.of(this.topic).acknowledge({
      id: 'Serverless::Serverless-SNSRedrivePolicy',
      reason:
        'SNS retries an email automatically, and an alarm stays on until its cause is removed.',
    });
  }
}
