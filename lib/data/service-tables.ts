import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITableV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { type TableKey, type TableSchema, tableName, tables } from '../../contract/tables.ts';

/** The tables of a deployment as its functions see them, whoever owns them. */
export type ServiceTables = Readonly<Record<TableKey, ITableV2>>;

export interface ServiceTableProps {
  readonly deploymentName: string;
  readonly table: TableKey;
}

/**
 * A table of one region. It outlives its stack, except that a stack which never came to exist
 * leaves nothing behind. Encryption is DynamoDB's own: a customer managed key would make every
 * token depend on one more KMS call.
 */
export class ServiceTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, props: ServiceTableProps) {
    super(scope, id);
    const schema: TableSchema = tables[props.table];
    // An id of `Default` leaves no trace in the logical id, by which a retained table is imported.
    this.table = new TableV2(this, 'Default', {
      tableName: tableName(props.deploymentName, props.table),
      partitionKey: { name: schema.partitionKey, type: AttributeType.STRING },
      ...(schema.sortKey === undefined
        ? {}
        : { sortKey: { name: schema.sortKey, type: AttributeType.STRING } }),
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }
}
