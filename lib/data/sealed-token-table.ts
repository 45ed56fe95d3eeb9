import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { sealedTokenTable, sealedTokenTableName } from '../../contract/tables.ts';

export interface SealedTokenTableProps {
  readonly deploymentName: string;
}

/**
 * The region's cache of sealed tokens. It goes with its stack or its setting: what it holds is
 * signed again.
 */
export class SealedTokenTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { deploymentName }: SealedTokenTableProps) {
    super(scope, id);
    const { partitionKey, timeToLive } = sealedTokenTable;
    this.table = new TableV2(this, 'Default', {
      tableName: sealedTokenTableName(deploymentName),
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      timeToLiveAttribute: timeToLive,
      billing: Billing.onDemand(),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    for (const rule of ['AwsSolutions::AwsSolutions-DDB3']) {
      Validations.of(this.table).acknowledge({
        id: rule,
        reason: 'A cache: the next request makes each item again, so there is nothing to restore.',
      });
    }
  }
}
