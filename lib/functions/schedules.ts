import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { keyScheduleMinutes } from '../../contract/key-metrics.ts';
import { syntheticCheckMinutes } from '../../contract/synthetic-check.ts';
import type { ServiceFunction } from './service-function.ts';

interface SchedulesProps {
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
    const { keyRotation, canary, syntheticCheck } = props;
    addSchedule(this, 'Rotation', {
      description: 'Runs the key-rotation function',
      target: keyRotation.handler,
      minutes: keyScheduleMinutes,
      event: { action: 'reconcile' },
    });
    addSchedule(this, 'Canary', {
      description: 'Runs the canary function',
      target: canary.handler,
      minutes: keyScheduleMinutes,
    });
    addSchedule(this, 'SyntheticCheck', {
      description: 'Runs the synthetic-check function',
      target: syntheticCheck.handler,
      minutes: syntheticCheckMinutes,
    });
  }
}

interface ScheduleProps {
  readonly description: string;
  readonly target: IFunction;
  readonly minutes: number;
  /** The event of each invocation; empty if left out. */
  readonly event?: object;
}

/** Invokes a function every so many minutes. */
function addSchedule(
  scope: Construct,
  id: string,
  { description, target, minutes, event = {} }: ScheduleProps,
): void {
  const rule = new Rule(scope, id, {
    description,
    schedule: Schedule.rate(Duration.minutes(minutes)),
    targets: [
      new LambdaFunction(target, {
        event: RuleTargetInput.fromObject(event),
        // The next run does what this one could not. A late repetition would be superfluous.
        retryAttempts: 0,
        maxEventAge: Duration.minutes(minutes),
      }),
    ],
  });
  Validations.of(rule).acknowledge({
    id: 'Serverless::Serverless-EventBusDLQ',
    reason: 'When a run does not start, the next one does its work; several in a row are an alarm.',
  });
}
