import { Duration, Validations } from 'aws-cdk-lib';
import { type Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type CfnRule,
  type EventPattern,
  Rule,
  RuleTargetInput,
  type RuleTargetInputProperties,
} from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import {
  type AlarmContext,
  type AlarmText,
  addAlarm,
  alarmDescription,
  runbookOf,
} from './service-alarm.ts';

export interface EventAlarmProps extends AlarmText {
  readonly pattern: EventPattern;
  /** Whether the rule sees calls that CloudTrail counts as reads; plain rules do not. */
  readonly includesReads?: boolean;
}

/**
 * The alarm and the whole event. A field of the event is not named: EventBridge leaves a field
 * that an event lacks out of the message, which is then no JSON and is not delivered, and it does
 * not escape the quotes within a field.
 */
class AlarmMessage extends RuleTargetInput {
  readonly #text: AlarmText;

  constructor(text: AlarmText) {
    super();
    this.#text = text;
  }

  override bind(): RuleTargetInputProperties {
    const { id, description } = this.#text;
    const runbook = runbookOf(this.#text);
    const fixed = JSON.stringify({ alarm: id, description, runbook }).slice(0, -1);
    return { inputTemplate: `${fixed},"event":<aws.events.event.json>}` };
  }
}

/** Tells the topic of each event at once, and has an alarm that stays on for the record. */
export function addEventAlarm(
  scope: Construct,
  context: AlarmContext,
  { pattern, includesReads = false, ...text }: EventAlarmProps,
): Alarm {
  const rule = new Rule(scope, `${text.id}-call`, {
    description: alarmDescription(text),
    eventPattern: pattern,
    // The topic's own policy lets the rules of this account publish.
    targets: [{ bind: () => ({ arn: context.topic.topicArn, input: new AlarmMessage(text) }) }],
  });
  if (includesReads) {
    (rule.node.defaultChild as CfnRule).state = 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS';
  }
  Validations.of(rule).acknowledge({
    id: 'Serverless::Serverless-EventBusDLQ',
    reason: 'EventBridge tries for a day to reach the topic, and the alarm on the rule stays on.',
  });
  return addAlarm(scope, context, {
    ...text,
    metric: new Metric({
      namespace: 'AWS/Events',
      metricName: 'TriggeredRules',
      dimensionsMap: { RuleName: rule.ruleName },
      statistic: 'Sum',
      period: Duration.minutes(1),
    }),
  });
}
