import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import { type FunctionName } from '../../contract/environment.ts';
import { keyScheduleMinutes } from '../../contract/key-metrics.ts';
import { syntheticCheckMinutes } from '../../contract/synthetic-check.ts';
import type { ServiceFunction } from './service-function.ts';
import { type ServiceFunctions } from './service-functions.ts';

/**
 * What runs on a schedule: the rotation, which takes every step that is due, the canary, and the
 * synthetic check.
 */
export function addSchedules(
  scope: Construct,
  { keyRotation, canary, syntheticCheck }: ServiceFunctions,
): void {
  const minutes = keyScheduleMinutes;
  addSchedule(scope, 'Rotation', keyRotation, { minutes, event: { action: 'reconcile' } });
  addSchedule(scope, 'Canary', canary, { minutes });
  addSchedule(scope, 'SyntheticCheck', syntheticCheck, { minutes: syntheticCheckMinutes });
}

/** Invokes a function every so many minutes with an event. */
function addSchedule(
  scope: Construct,
  id: string,
  { name, handler }: ServiceFunction<FunctionName>,
  { minutes, event = {} }: { readonly minutes: number; readonly event?: object },
): void {
  const rule = new Rule(scope, id, {
    description: `Runs the ${name} function`,
    schedule: Schedule.rate(Duration.minutes(minutes)),
    targets: [
      new LambdaFunction(handler, {
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
