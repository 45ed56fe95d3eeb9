import {
  Alarm,
  AnomalyDetectionAlarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
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
