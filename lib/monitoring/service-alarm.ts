import { Annotations, Aspects, Aws, Validations } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type Conditions, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSubscription, type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct, IConstruct } from 'constructs';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import type { RegionId } from '../../contract/regions.ts';
import { type AlarmPage, firstSteps } from './first-steps.ts';

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
  readonly page?: AlarmPage;
  /** Whether it can wait until the next working day. */
  readonly isTicket?: boolean;
}

export interface AlarmProps extends AlarmText {
  readonly metric: IMetric;
  /** Whether values below the threshold are bad. The default is those that reach it. */
  readonly isBelow?: boolean;
  /** @default 1 */
  readonly threshold?: number;
  /** How many of the last periods must be bad: `[3, 5]`, @default [1, 1] */
  readonly bad?: readonly [bad: number, of: number];
  /** Whether missing data counts as a bad value. */
  readonly missingIsBad?: boolean;
  /** Whether no one is notified: only a deployment uses the alarm. */
  readonly silent?: boolean;
}

/** Adds an alarm. Unless it is silent, it notifies the topic when it begins and when it ends. */
export function addAlarm(scope: Construct, context: AlarmContext, props: AlarmProps): Alarm {
  const alarm = createAlarm(scope, context.deploymentName, props, alarmName(context, props.id));
  if (props.silent !== true) notify(alarm, context.topic);
  return alarm;
}

/** @param name without one, CloudFormation makes one. */
export function createAlarm(
  scope: Construct,
  deployment: string,
  props: AlarmProps,
  name?: string,
): Alarm {
  const { threshold = 1, bad: [bad, of] = [1, 1], isBelow = false } = props;
  const options = {
    ...(name !== undefined && { alarmName: name }),
    alarmDescription: alarmDescription(props, deployment),
    metric: props.metric,
    evaluationPeriods: of,
    datapointsToAlarm: bad,
    treatMissingData:
      props.missingIsBad === true ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  };
  const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator;
  return new Alarm(scope, props.id, {
    ...options,
    comparisonOperator: isBelow ? LESS_THAN_THRESHOLD : GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold,
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

/** What a notification says, for a person who has no copy of the repository. */
export function noticeOf(
  { id, page, description, isTicket = false }: AlarmText,
  deployment: string,
) {
  const pageName = page ?? (id as AlarmPage);
  const steps = firstSteps[pageName]
    .replaceAll('{deployment}', deployment)
    .replaceAll('{function}', id.replace(/-function-(?:errors|throttled)$/, ''));
  const severity = isTicket ? 'TICKET' : 'PAGE NOW';
  return { alarm: id, severity, description, steps, runbook: `docs/runbook/${pageName}.md` };
}

/** CloudWatch accepts 1,024 characters. */
export function alarmDescription(alarm: AlarmText, deployment: string): string {
  const { severity, description, steps, runbook } = noticeOf(alarm, deployment);
  return `${severity}: ${description} ${steps} More: ${runbook}`;
}

/** Name of the topic in each region. */
export function alarmTopicName(deploymentName: string): string {
  return `${deploymentName}-alarms`;
}

/** Looks when the app is complete: its other stacks may subscribe to the topic, too. */
function warnIfNoOneHears(topic: Topic): void {
  const visit = (node: IConstruct): void => {
    if (node !== topic) return;
    const isOfTopic = (other: IConstruct) =>
      other instanceof CfnSubscription && other.topicArn === topic.topicArn;
    if (topic.node.root.node.findAll().some(isOfTopic)) return;
    const text =
      'No one is notified of alarms: the topic has no subscription. Set alarmEmails in the config, or subscribe to alarmTopic of the region.';
    Annotations.of(topic).addWarningV2('authorization-server:no-one-hears-alarms', text);
  };
  Aspects.of(topic).add({ visit });
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
  warnIfNoOneHears(topic);
  Validations.of(topic).acknowledge({
    id: 'Serverless::Serverless-SNSRedrivePolicy',
    reason: 'SNS retries an email automatically, and an alarm stays on until its cause is removed.',
  });
  return topic;
}
