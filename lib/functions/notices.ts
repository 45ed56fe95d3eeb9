import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { EventBus, EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { noticeBusName, noticeHour } from '../../contract/notices.ts';
import type { ServiceFunction } from './service-function.ts';

interface NoticesProps {
  readonly deploymentName: string;
  readonly notices: ServiceFunction<'notices'>;
}

/** The bus of the notices, and the schedule of their function. Rules on the bus are customers'. */
export class Notices extends Construct {
  constructor(scope: Construct, id: string, { deploymentName, notices }: NoticesProps) {
    super(scope, id);
    const bus = new EventBus(this, 'Bus', {
      eventBusName: noticeBusName(deploymentName),
      description: 'Notices about secrets and API keys that expire',
    });
    // Its deletion would delete the rules that others have put on it.
    bus.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    notices.allow({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] });
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
    this.addSchedule(notices);
    // Of the stack, so that its name is the same in every app.
    new CfnOutput(Stack.of(this), 'NoticeBusArn', { value: bus.eventBusArn });
  }

  private addSchedule({ handler }: ServiceFunction<'notices'>): void {
    const rule = new Rule(this, 'Schedule', {
      description: 'Runs the notices function once a day',
      schedule: Schedule.cron({ hour: String(noticeHour), minute: '0' }),
      targets: [
        new LambdaFunction(handler, {
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
  }
}
