import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type ITableV2,
  MultiRegionConsistency,
  ProjectionType,
  type TableOptionsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
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
import { type ReaderPolicyProps, readerPolicy } from './reader-policy.ts';

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
    ...formerTableNames(names, key).map((name) =>
      Stack.of(scope).formatArn({ service: 'dynamodb', resource: 'table', resourceName: name }),
    ),
  ];
  return Object.fromEntries(tableKeys.map((key) => [key, arnsOf(key)])) as unknown as TableArns;
}

/** The other AWS regions of a table that all regions share. */
export interface Replication {
  readonly awsRegions: readonly string[];
  /** With two regions, the witness keeps the log but no copy. */
  readonly witnessAwsRegion: string | undefined;
}

export interface ServiceTableProps {
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
 * when the first deployment fails (docs/adr/0038). Encryption is DynamoDB's own: with a customer
 * managed key, every token would depend on one more KMS call.
 */
export class ServiceTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, props: ServiceTableProps) {
    super(scope, id);
    const schema: TableSchema = tables[props.table];
    const index = tableIndexes[props.table];
    const { tableReaders, name, tablesName = name } = props.config;
    // Tables of several regions get their policies in a later update than their replicas.
    const hasPolicy = props.replication === undefined || tableReaders?.tables === tablesName;
    const readable = (awsRegion: string) =>
      hasPolicy ? { resourcePolicy: readerPolicy(this, { ...props, awsRegion }) } : {};
    // The id `Default` does not change the logical id, which is needed to import a retained table.
    this.table = new TableV2(this, 'Default', {
      tableName: deployedTableName(props.config, props.table),
      partitionKey: { name: schema.partitionKey, type: AttributeType.STRING },
      ...(schema.sortKey === undefined
        ? {}
        : { sortKey: { name: schema.sortKey, type: AttributeType.STRING } }),
      ...(index === undefined ? {} : withIndex(index)),
      billing: Billing.onDemand(),
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      ...replicaOptions,
      ...readable(Stack.of(this).region),
      ...(props.replication === undefined ? {} : stronglyConsistent(props.replication, readable)),
    });
  }
}

/** Each replica has the index. */
function withIndex({ name, partitionKey, sortKey }: IndexSchema) {
  const index = {
    indexName: name,
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    sortKey: { name: sortKey, type: AttributeType.STRING },
    projectionType: ProjectionType.KEYS_ONLY,
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
