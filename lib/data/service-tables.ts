import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import {
  AttributeType,
  Billing,
  type ITableV2,
  MultiRegionConsistency,
  ProjectionType,
  type TableOptionsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import {
  AccountPrincipal,
  type Conditions,
  Effect,
  type IPrincipal,
  OrganizationPrincipal,
  PolicyDocument,
  PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import type { TableReaders } from '../../contract/operations-config.ts';
import {
  batchedPlatformApiActions,
  isPlatformApiTable,
  platformApiCondition,
} from '../../contract/platform-api-tables.ts';
import {
  deployedTableName,
  formerTableNames,
  type IndexSchema,
  type TableKey,
  type TableNames,
  type TableSchema,
  tableIndexes,
  tableKeys,
  tables,
} from '../../contract/tables.ts';
import { addServiceRole, namedTableArn } from '../functions/service-function.ts';

/** The tables of a deployment for its functions, in this stack or in another. */
export type ServiceTables = Readonly<Record<TableKey, ITableV2>>;

/** ARNs of each table, and of the one that functions used before it. */
export type TableArns = Readonly<Record<TableKey, string[]>>;

/**
 * CloudFormation changes a role before the functions that have it. Until then, and during a gradual
 * deployment, functions use the tables of the previous config.
 */
export function tableArns(scope: Construct, names: TableNames, inUse: ServiceTables): TableArns {
  const arnsOf = (key: TableKey): string[] => [
    inUse[key].tableArn,
    ...formerTableNames(names, key).map((name) => namedTableArn(scope, name)),
  ];
  return Object.fromEntries(tableKeys.map((key) => [key, arnsOf(key)])) as unknown as TableArns;
}

/** The other AWS regions of a table that all regions share. */
export interface Replication {
  readonly awsRegions: readonly string[];
  /** With two regions, the witness keeps the log but no copy. */
  readonly witnessAwsRegion: string | undefined;
}

interface ServiceTableProps {
  /** The deployment's config, for the names and the accounts that read. */
  readonly config: ReaderPolicyProps['config'];
  readonly table: TableKey;
  /** None for a table in one region. */
  readonly replication?: Replication | undefined;
}

/** Settings of each replica. A replica does not inherit them. */
const replicaOptions = {
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  deletionProtection: true,
} satisfies TableOptionsV2;

/**
 * A table that is kept when its stack is deleted. Because of deletion protection, it is also kept
 * when the first deployment fails (docs/adr/0101). Encryption is DynamoDB's own: with a customer
 * managed key, every token would depend on one more KMS call.
 */
export function addServiceTable(scope: Construct, props: ServiceTableProps): TableV2 {
  const schema: TableSchema = tables[props.table];
  const index = tableIndexes[props.table];
  const { tableReaders, name, tablesName = name } = props.config;
  // Tables of several regions get their policies in a later update than their replicas.
  const hasPolicy = props.replication === undefined || tableReaders?.tables === tablesName;
  const readable = (awsRegion: string) =>
    hasPolicy ? { resourcePolicy: readerPolicy(scope, { ...props, awsRegion }) } : {};
  const part = new Construct(scope, tableId(props.table));
  // The id `Default` does not change the logical id, which is needed to import a retained table.
  return new TableV2(part, 'Default', {
    tableName: deployedTableName(props.config, props.table),
    partitionKey: { name: schema.partitionKey, type: AttributeType.STRING },
    ...(schema.sortKey !== undefined && {
      sortKey: { name: schema.sortKey, type: AttributeType.STRING },
    }),
    ...(index && withIndex(index)),
    billing: Billing.onDemand(),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ...replicaOptions,
    ...readable(Stack.of(scope).region),
    ...(props.replication && stronglyConsistent(props.replication, readable)),
  });
}

/** Each replica has the index. */
function withIndex({ name, partitionKey, sortKey, projected }: IndexSchema) {
  const index = {
    indexName: name,
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    sortKey: { name: sortKey, type: AttributeType.STRING },
    projectionType: ProjectionType.INCLUDE,
    nonKeyAttributes: [...projected],
  };
  return { globalSecondaryIndexes: [index] };
}

/** A conditional write then applies in all regions: a concurrent write cannot undo a revocation. */
function stronglyConsistent(
  { awsRegions, witnessAwsRegion }: Replication,
  optionsOf: (awsRegion: string) => TableOptionsV2,
) {
  return {
    multiRegionConsistency: MultiRegionConsistency.STRONG,
    replicas: awsRegions.map((region) => ({ region, ...replicaOptions, ...optionsOf(region) })),
    ...(witnessAwsRegion === undefined ? {} : { witnessRegion: witnessAwsRegion }),
  };
}

/** `apiKeys` → `ApiKeysTable`. */
export function tableId(key: TableKey): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1)}Table`;
}

/** Creates each table. */
export function eachTable(make: (key: TableKey) => ITableV2): ServiceTables {
  return Object.fromEntries(tableKeys.map((key) => [key, make(key)])) as unknown as ServiceTables;
}

interface ReaderPolicyProps {
  readonly config: TableNames & { readonly tableReaders?: TableReaders | undefined };
  readonly table: TableKey;
  /** AWS region of the replica: each has a policy of its own. */
  readonly awsRegion: string;
}

/** The principals that may read, and the conditions of their statement in addition to the keys. */
interface Readers {
  readonly principals: readonly IPrincipal[];
  readonly conditions?: Conditions;
}

function readersOf({ accounts, organizationId }: TableReaders, ownAccount: string) {
  const readers: Readers[] = [];
  if (accounts !== undefined) {
    readers.push({ principals: accounts.map((account) => new AccountPrincipal(account)) });
  }
  if (organizationId !== undefined) {
    readers.push({
      principals: [new OrganizationPrincipal(organizationId)],
      // A policy for everyone in the organization would allow each role of the tables' own account,
      // without a policy of its own.
      conditions: { StringNotEquals: { 'aws:PrincipalAccount': ownAccount } },
    });
  }
  return readers;
}

/**
 * The policy of a table that platform APIs of other accounts read. It allows the accounts; which of
 * their roles may read is their own IAM's decision.
 *
 * @returns undefined if no other account reads this table.
 */
function readerPolicy(
  scope: Construct,
  { config, table, awsRegion }: ReaderPolicyProps,
): PolicyDocument | undefined {
  if (config.tableReaders === undefined || !isPlatformApiTable(table)) return undefined;
  // The table's own ARN cannot be referenced in its own policy.
  const resource = namedTableArn(scope, deployedTableName(config, table), awsRegion);
  return new PolicyDocument({
    statements: readersOf(config.tableReaders, Stack.of(scope).account).map(
      ({ principals, conditions }) =>
        new PolicyStatement({
          effect: Effect.ALLOW,
          principals: [...principals],
          actions: [...batchedPlatformApiActions],
          resources: [resource],
          conditions: { ...platformApiCondition(table), ...conditions },
        }),
    ),
  });
}

type BackupConfig = NonNullable<DeploymentConfig['backup']>;

/**
 * Copies the tables once a day. Point-in-time recovery can restore any second, but is lost with its
 * table and its account. A backup survives both.
 */
export function addTableBackup(
  scope: Construct,
  name: string,
  backedUp: readonly ITableV2[],
  { retentionDays, copyToVaultArn }: BackupConfig,
): BackupVault {
  const deleteAfter = Duration.days(retentionDays);
  const vault = new BackupVault(scope, 'Vault', {
    backupVaultName: name,
    // Without a grace period, principals with that permission can remove the lock. With a lock
    // that no one can remove, a mistake in the retention could not be corrected.
    lockConfiguration: { minRetention: deleteAfter },
    removalPolicy: RemovalPolicy.RETAIN,
  });
  const plan = new BackupPlan(scope, 'Plan', { backupPlanName: name, backupVault: vault });
  const copies = (arn: string) => {
    const destinationBackupVault = BackupVault.fromBackupVaultArn(scope, 'CopyVault', arn);
    return [{ destinationBackupVault, deleteAfter }];
  };
  plan.addRule(
    new BackupPlanRule({
      ruleName: 'daily',
      // At night in the platform's regions.
      scheduleExpression: Schedule.cron({ hour: '9', minute: '0' }),
      deleteAfter,
      copyActions: copyToVaultArn === undefined ? [] : copies(copyToVaultArn),
    }),
  );
  plan.addSelection('Tables', {
    role: addServiceRole(scope, 'Role', {
      service: 'backup',
      description: 'Backs up the tables',
      policy: 'AWSBackupServiceRolePolicyForBackup',
      reason: "AWS Backup's own policy for making backups, which AWS extends with the service.",
    }),
    resources: backedUp.map((table) => BackupResource.fromArn(table.tableArn)),
  });
  return vault;
}
