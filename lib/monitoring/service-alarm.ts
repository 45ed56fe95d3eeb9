import {
  Alarm,
  type ComparisonOperator,
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

export interface ServiceAlarmProps {
  readonly id: string;
  /** One sentence for the person who is woken: what happened. */
  readonly description: string;
  /** Page that says what to do. */
  readonly runbook: string;
  readonly metric: IMetric;
  readonly operator: ComparisonOperator;
  readonly threshold: number;
  /** Periods that are looked at, and how many of them must be bad. */
  readonly periods: number;
  readonly badPeriods?: number;
  readonly missingIsBad?: boolean;
  /** Whether it wakes nobody: a deployment alone looks at it. */
  readonly silent?: boolean;
}

/** Adds an alarm that, unless it is silent, tells the topic when it begins and when it ends. */
export function addAlarm(scope: Construct, context: AlarmContext, props: ServiceAlarmProps): Alarm {
  const alarm = new Alarm(scope, props.id, {
    alarmName: alarmName(context, props.id),
    alarmDescription: alarmDescription(props),
    metric: props.metric,
    comparisonOperator: props.operator,
    threshold: props.threshold,
    evaluationPeriods: props.periods,
    datapointsToAlarm: props.badPeriods ?? props.periods,
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

export function alarmDescription(alarm: {
  readonly description: string;
  readonly runbook: string;
}): string {
  return `${alarm.description} What to do: ${alarm.runbook}`;
}
