import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { EventBus, EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { FunctionName } from '../../contract/function-names.ts';
import { keyScheduleMinutes } from '../../contract/key-metrics.ts';
import { noticeBusName, noticeHour } from '../../contract/notices.ts';
import { syntheticCheckMinutes } from '../../contract/synthetic-check.ts';
import type { ServiceFunction } from './service-function.ts';
import type { ServiceFunctions } from './service-functions.ts';

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

/** The bus of the notices, and the schedule of their function. Rules on the bus are customers'. */
export function addNotices(
  scope: Construct,
  deploymentName: string,
  notices: ServiceFunction<'notices'>,
): void {
  const bus = new EventBus(scope, 'Bus', {
    eventBusName: noticeBusName(deploymentName),
    description: 'Notices about secrets and API keys that expire',
  });
  // Its deletion would delete the rules that others have put on it.
  bus.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  notices.allow(['events:PutEvents'], [bus.eventBusArn]);
  // Customers act on notices, so no one else of the account may send one, regardless of its role.
  // A Deny counts before any Allow:
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html,
  // November 2026.
  bus.addToResourcePolicy(
    new PolicyStatement({
      sid: 'OnlyTheNoticesFunction',
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['events:PutEvents'],
      resources: [bus.eventBusArn],
      conditions: { ArnNotEquals: { 'aws:PrincipalArn': notices.role.roleArn } },
    }),
  );
  const rule = new Rule(scope, 'Schedule', {
    description: 'Runs the notices function once a day',
    schedule: Schedule.cron({ hour: String(noticeHour), minute: '0' }),
    targets: [
      new LambdaFunction(notices.handler, {
        // EventBridge and Lambda send the same event again.
        event: RuleTargetInput.fromObject({ scheduled_time: EventField.time }),
        retryAttempts: 10,
        maxEventAge: Duration.hours(2),
      }),
    ],
  });
  Validations.of(rule).acknowledge({
    id: 'Serverless::Serverless-EventBusDLQ',
    reason: 'When no run succeeds for 26 hours, an alarm rings.',
  });
  // Of the stack, so that its name is the same in every app.
  new CfnOutput(Stack.of(scope), 'NoticeBusArn', { value: bus.eventBusArn });
}
