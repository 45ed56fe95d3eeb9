import { CustomResource, Duration } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import {
  type DeploymentCheckProperties,
  deploymentCheckMinutes,
} from '../../contract/deployment-check.ts';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import type { ServiceFunctions } from '../functions/service-functions.ts';

export interface DeploymentCheckProps {
  readonly config: DeploymentConfig;
  readonly functions: ServiceFunctions;
  /** The table of signing keys. */
  readonly table: ITableV2;
}

/**
 * Before a deployment changes any permission, this checks that the config still names the algorithm
 * of every signing key in use. If it does not, the deployment fails with the reason, and
 * CloudFormation rolls it back. The check runs when `signingAlgorithms` or the regions change.
 */
export class DeploymentCheck extends Construct {
  constructor(scope: Construct, id: string, { config, functions, table }: DeploymentCheckProps) {
    super(scope, id);
    const { handler, role, logGroup } = functions.deploymentCheck;
    const properties: DeploymentCheckProperties = {
      SigningAlgorithms: [...config.signingAlgorithms],
      Regions: deployedRegions(config).map((region) => region.id),
    };
    const check = new CustomResource(this, 'Default', {
      resourceType: 'Custom::DeploymentCheck',
      serviceToken: handler.functionArn,
      // Longer than the function runs, and much shorter than CloudFormation's hour.
      serviceTimeout: Duration.minutes(deploymentCheckMinutes + 1),
      properties,
    });
    check.node.addDependency(handler, role, logGroup, table);
    for (const fn of functions.all) {
      // The roles themselves need not wait: they allow nothing without their policies.
      fn.role.node.findChild('DefaultPolicy').node.addDependency(check);
    }
  }
}
