import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type DeploymentConfig, deployedRegions } from '../contract/deployment-config.ts';
import { tableKeys, tables } from '../contract/tables.ts';
import { type Replication, ServiceTable, tableId } from './data/service-tables.ts';

export interface DataStackProps extends StackProps {
  readonly config: DeploymentConfig;
}

/**
 * The tables that all regions share. A global table is one resource with all its replicas, so one
 * stack owns it, and the regions' stacks refer to it by name.
 */
export class DataStack extends Stack {
  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props);
    const { config } = props;
    const [, ...others] = deployedRegions(config).map(({ awsRegion }) => awsRegion);
    const replication: Replication = {
      awsRegions: others,
      witnessAwsRegion: config.witnessAwsRegion,
    };
    for (const table of tableKeys.filter((key) => tables[key].scope === 'global')) {
      new ServiceTable(this, tableId(table), {
        config,
        table,
        replication,
      });
    }
  }
}
