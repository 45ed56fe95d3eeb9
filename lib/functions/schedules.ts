import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { FunctionName } from '../../contract/environment.ts';
import { keyScheduleMinutes } from '../../contract/key-metrics.ts';
import { syntheticCheckMinutes } from '../../contract/synthetic-check.ts';
import type { ServiceFunction } from './service-function.ts';

export interface SchedulesProps {
  readonly keyRotation: ServiceFunction<'key-rotation'>;
  readonly canary: ServiceFunction<'canary'>;
  readonly syntheticCheck: ServiceFunction<'synthetic-check'>;
}

/**
 * What runs on a schedule: the rotation, which takes every step that is due, the canary, and the
 * synthetic check.
 */
export class Schedules extends Construct {
  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id);
    this.addSchedule('Rotation', props.keyRotation, keyScheduleMinutes, {
      action: 'reconcile',
    });
    this.addSchedule('Canary', props.canary, keyScheduleMinutes, {});
    this.addSchedule('SyntheticCheck', props.syntheticCheck, syntheticCheckMinutes, {});
  }

  private addSchedule(
    id: string,
    fn: ServiceFunction<FunctionName>,
    minutes: number,
    event: object,
  ): void {
    const rule = new Rule(this, id, {
      description: `Runs the ${fn.name} function`,
      schedule: Schedule.rate(Duration.minutes(minutes)),
      targets: [
        new LambdaFunction(fn.handler, {
          event: RuleTargetInput.fromObject(event),
          // The next run does what this one could not. A late repetition would be superfluous.
          retryAttempts: 0,
          maxEventAge: Duration.minutes(minutes),
        }),
      ],
    });
    Validations.of(rule).acknowledge({
      id: 'Serverless::Serverless-EventBusDLQ',
      reason:
        'When a run does not start, the next one does its work; several in a row are an alarm.',
    });
  }
}
