import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { EventBus, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { keyScheduleMinutes } from '../../contract/key-metrics.ts';
import { dailyRunAlias, dailyRunMinutes, noticeBusName } from '../../contract/notices.ts';
import type { RegionId } from '../../contract/regions.ts';
import { syntheticCheckMinutes } from '../../contract/synthetic-check.ts';
import type { ServiceFunction } from './service-function.ts';

/** Whether a region makes the daily run: the first one, for all of them. */
export function makesDailyRun({
  config,
  regionId,
}: {
  readonly config: Pick<DeploymentConfig, 'regions' | 'notices'>;
  readonly regionId: RegionId;
}): boolean {
  return config.notices && deployedRegions(config)[0]?.id === regionId;
}

interface DailyRunProps {
  readonly deploymentName: string;
  readonly management: ServiceFunction<'management'>;
}

/**
 * The daily run of the management function, and the bus that its notices are sent to. Rules on the
 * bus are of those who want them.
 */
export class DailyRun extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string, { deploymentName, management }: DailyRunProps) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: noticeBusName(deploymentName),
      description: 'Notices about clients and API keys',
    });
    // Its deletion would delete the rules that others have put on it.
    this.bus.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    management.allow({ actions: ['events:PutEvents'], resources: [this.bus.eventBusArn] });
    this.refuseEventsOfOthers(management);
    addSchedule(this, 'Schedule', {
      description: 'Attempts the daily run of the management function',
      // Only this rule may invoke the alias: no policy of an operator names it.
      target: management.addAlias(dailyRunAlias),
      minutes: dailyRunMinutes,
    });
    // Of the stack, so that its name is the same in every app.
    new CfnOutput(Stack.of(this), 'NoticeBusArn', { value: this.bus.eventBusArn });
  }

  /**
   * Customers act on notices, so no one else of the account may send one, regardless of its role.
   * A Deny in a policy of the bus counts before any Allow:
   * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html,
   * November 2026.
   */
  private refuseEventsOfOthers({ role }: ServiceFunction<'management'>): void {
    this.bus.addToResourcePolicy(
      new PolicyStatement({
        sid: 'OnlyTheDailyRun',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['events:PutEvents'],
        resources: [this.bus.eventBusArn],
        conditions: { ArnNotEquals: { 'aws:PrincipalArn': role.roleArn } },
      }),
    );
  }
}

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
