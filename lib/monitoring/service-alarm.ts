import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { RegionId } from '../../contract/regions.ts';

/** What every alarm of one region has in common. */
export interface AlarmContext {
  readonly deploymentName: string;
  readonly regionId: RegionId;
  readonly topic: ITopic;
}

export interface AlarmText {
  /** Last part of the alarm's name: `{deployment}-{region}-{id}`. */
  readonly id: string;
  /** One sentence for the person who is woken: what happened. */
  readonly description: string;
  /** Page of docs/runbook that says what to do; the one with the id's name if left out. */
  readonly page?: string;
}

export interface AlarmProps extends AlarmText {
  readonly metric: IMetric;
  /** Which values are bad; those that reach the threshold if left out. */
  readonly operator?: ComparisonOperator;
  /** @default 1 */
  readonly threshold?: number;
  /** Periods that are looked at, @default 1, and how many of them must be bad: all if left out. */
  readonly periods?: number;
  readonly badPeriods?: number;
  /** Whether no data is as bad as a bad value. */
  readonly missingIsBad?: boolean;
  /** Whether it wakes no one: only a deployment looks at it. */
  readonly silent?: boolean;
}

/** Adds an alarm that, unless it is silent, tells the topic when it begins and when it ends. */
export function addAlarm(scope: Construct, context: AlarmContext, props: AlarmProps): Alarm {
  const { threshold = 1, periods = 1 } = props;
  const alarm = new Alarm(scope, props.id, {
    alarmName: alarmName(context, props.id),
    alarmDescription: alarmDescription(props),
    metric: props.metric,
    comparisonOperator: props.operator ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold,
    evaluationPeriods: periods,
    datapointsToAlarm: props.badPeriods ?? periods,
    treatMissingData:
      props.missingIsBad === true ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  if (props.silent === true) return alarm;
  const action = new SnsAction(context.topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  return alarm;
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
