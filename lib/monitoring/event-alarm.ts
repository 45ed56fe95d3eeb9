import { Validations } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type CfnRule,
  type EventPattern,
  Rule,
  type RuleTargetInput,
} from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { type AlarmContext, type AlarmText, addAlarm, noticeOf } from './service-alarm.ts';
import { makeMetric } from './service-metrics.ts';

interface EventAlarmProps extends AlarmText {
  readonly pattern: EventPattern;
  /** Whether the rule also matches calls that CloudTrail classifies as reads. */
  readonly includesReads?: boolean;
}

/**
 * The alarm and the whole event. The message has no single fields: when an event lacks a field,
 * EventBridge omits it, and the message is then not valid JSON and not delivered. EventBridge also
 * does not escape quotes within a field.
 */
function alarmMessage(text: AlarmText, deployment: string): RuleTargetInput {
  const fixed = JSON.stringify(noticeOf(text, deployment)).slice(0, -1);
  return { bind: () => ({ inputTemplate: `${fixed},"event":<aws.events.event.json>}` }) };
}

/** Sends each event to the topic at once, and has an alarm that records it and sends nothing more. */
export function addEventAlarm(
  scope: Construct,
  context: AlarmContext,
  { pattern, includesReads = false, ...text }: EventAlarmProps,
): Alarm {
  const rule = new Rule(scope, `${text.id}-call`, {
    description: text.description,
    eventPattern: pattern,
    // The topic's own policy allows EventBridge to publish.
    targets: [
      {
        bind: () => ({
          arn: context.topic.topicArn,
          input: alarmMessage(text, context.deploymentName),
        }),
      },
    ],
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
    silent: true,
    metric: makeMetric('AWS/Events', 'TriggeredRules', { RuleName: rule.ruleName }),
  });
}

/** The vault of a region's backups. */
export interface WatchedVault {
  readonly name: string;
  readonly arn: string;
  /** Whether each backup is copied to another vault. */
  readonly isCopied: boolean;
}

/** The alarms on failed backups of the tables, and on failed copies. */
export function addBackupAlarms(
  scope: Construct,
  context: AlarmContext,
  vault: WatchedVault,
): readonly Alarm[] {
  const patternOf = (job: 'Backup' | 'Copy', detail: EventPattern['detail']) => ({
    pattern: { source: ['aws.backup'], detailType: [`${job} Job State Change`], detail },
  });
  const failed = ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'];
  const backups = {
    id: 'backup-failed',
    description: 'A backup of a table did not succeed.',
    isTicket: true,
    ...patternOf('Backup', { state: failed, backupVaultName: [vault.name] }),
  };
  const copies = {
    id: 'backup-copy-failed',
    description: 'A backup was not copied to the vault of the other account.',
    isTicket: true,
    ...patternOf('Copy', { state: ['FAILED', 'PARTIAL'], sourceBackupVaultArn: [vault.arn] }),
  };
  const alarms = vault.isCopied ? [backups, copies] : [backups];
  return alarms.map((alarm) => addEventAlarm(scope, context, alarm));
}
