import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { addEventAlarm } from './event-alarm.ts';
import type { AlarmContext } from './service-alarm.ts';

/** The vault of a region's backups. */
export interface WatchedVault {
  readonly name: string;
  readonly arn: string;
  /** Whether each backup is copied to another vault. */
  readonly isCopied: boolean;
}

export interface BackupAlarmsProps extends AlarmContext {
  readonly vault: WatchedVault;
}

/** The alarms on failed backups of the tables, and on failed copies. */
export class BackupAlarms extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { vault, ...context }: BackupAlarmsProps) {
    super(scope, id);
    this.alarms = [
      this.addBackupAlarm(context, vault),
      ...(vault.isCopied ? [this.addCopyAlarm(context, vault)] : []),
    ];
  }

  private addBackupAlarm(context: AlarmContext, vault: WatchedVault): Alarm {
    return addEventAlarm(this, context, {
      id: 'backup-failed',
      description: 'A backup of a table did not succeed.',
      pattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change'],
        detail: {
          state: ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'],
          backupVaultName: [vault.name],
        },
      },
    });
  }

  private addCopyAlarm(context: AlarmContext, vault: WatchedVault): Alarm {
    return addEventAlarm(this, context, {
      id: 'backup-copy-failed',
      description: 'A backup was not copied to the vault of the other account.',
      pattern: {
        source: ['aws.backup'],
        detailType: ['Copy Job State Change'],
        detail: { state: ['FAILED', 'PARTIAL'], sourceBackupVaultArn: [vault.arn] },
      },
    });
  }
}
