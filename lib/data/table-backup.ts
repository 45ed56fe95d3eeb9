import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  BackupPlan,
  type BackupPlanCopyActionProps,
  BackupPlanRule,
  BackupResource,
  BackupVault,
} from 'aws-cdk-lib/aws-backup';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';

export interface TableBackupProps extends NonNullable<DeploymentConfig['backup']> {
  readonly deploymentName: string;
  readonly tables: readonly ITableV2[];
}

/**
 * Copies the tables once a day. Point-in-time recovery can restore any second, but is lost with its
 * table and its account. A backup survives both.
 */
export class TableBackup extends Construct {
  readonly vault: BackupVault;
  private readonly props: TableBackupProps;

  constructor(scope: Construct, id: string, props: TableBackupProps) {
    super(scope, id);
    this.props = props;
    this.vault = this.addVault();
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: props.deploymentName,
      backupVault: this.vault,
    });
    plan.addRule(
      new BackupPlanRule({
        ruleName: 'daily',
        // At night in the platform's regions.
        scheduleExpression: Schedule.cron({ hour: '9', minute: '0' }),
        deleteAfter: Duration.days(props.retentionDays),
        copyActions: this.copyActions(),
      }),
    );
    plan.addSelection('Tables', {
      role: this.addRole(),
      resources: props.tables.map((table) => BackupResource.fromArn(table.tableArn)),
    });
  }

  private addVault(): BackupVault {
    return new BackupVault(this, 'Vault', {
      backupVaultName: this.props.deploymentName,
      // Without a grace period, principals with that permission can remove the lock. With a lock
      // that no one can remove, a mistake in the retention could not be corrected.
      lockConfiguration: { minRetention: Duration.days(this.props.retentionDays) },
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  private copyActions(): BackupPlanCopyActionProps[] {
    const { copyToVaultArn, retentionDays } = this.props;
    if (copyToVaultArn === undefined) return [];
    return [
      {
        destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'CopyVault', copyToVaultArn),
        deleteAfter: Duration.days(retentionDays),
      },
    ];
  }

  private addRole(): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      description: 'Backs up the tables',
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSBackupServiceRolePolicyForBackup'),
      ],
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason: "AWS Backup's own policy for making backups, which AWS extends with the service.",
    });
    return role;
  }
}
