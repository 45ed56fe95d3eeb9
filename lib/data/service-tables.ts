import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type ITableV2,
  MultiRegionConsistency,
  type TableOptionsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import {
  deployedTableName,
  type TableKey,
  type TableNames,
  type TableSchema,
  tableKeys,
  tables,
} from '../../contract/tables.ts';

/** The tables of a deployment as its functions see them, no matter who owns them. */
export type ServiceTables = Readonly<Record<TableKey, ITableV2>>;

/** The other AWS regions of a table that all regions share. */
export interface Replication {
  readonly awsRegions: readonly string[];
  /** Keeps the log, and no copy, if there are two regions. */
  readonly witnessAwsRegion: string | undefined;
}

export interface ServiceTableProps {
  /** The deployment's config, for the names. */
  readonly config: TableNames;
  readonly table: TableKey;
  /** None: a table of one region. */
  readonly replication?: Replication | undefined;
}

/** What each replica has, since a replica does not take it from the others. */
const replicaOptions = {
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  deletionProtection: true,
} satisfies TableOptionsV2;

/**
 * A table that outlives its stack. A stack which never came to exist would leave nothing behind,
 * were it not for deletion protection, which counts more (docs/adr/0038). Encryption is DynamoDB's own: a customer managed key would make every token depend on
 * one more KMS call.
 */
export class ServiceTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, props: ServiceTableProps) {
    super(scope, id);
    const schema: TableSchema = tables[props.table];
    // An id of `Default` leaves no trace in the logical id, by which a retained table is imported.
    this.table = new TableV2(this, 'Default', {
      tableName: deployedTableName(props.config, props.table),
      partitionKey: { name: schema.partitionKey, type: AttributeType.STRING },
      ...(schema.sortKey === undefined
        ? {}
        : { sortKey: { name: schema.sortKey, type: AttributeType.STRING } }),
      billing: Billing.onDemand(),
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      ...replicaOptions,
      ...(props.replication === undefined ? {} : stronglyConsistent(props.replication)),
    });
  }
}

/** A conditional write then holds in all regions: no concurrent one can undo a revocation. */
function stronglyConsistent({ awsRegions, witnessAwsRegion }: Replication) {
  return {
    multiRegionConsistency: MultiRegionConsistency.STRONG,
    replicas: awsRegions.map((region) => ({ region, ...replicaOptions })),
    ...(witnessAwsRegion === undefined ? {} : { witnessRegion: witnessAwsRegion }),
  };
}

/** `apiKeys` → `ApiKeysTable`. */
export function tableId(key: TableKey): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1)}Table`;
}

/** Makes one of each table. */
export function eachTable(make: (key: TableKey) => ITableV2): ServiceTables {
  return Object.fromEntries(tableKeys.map((key) => [key, make(key)])) as unknown as ServiceTables;
}
