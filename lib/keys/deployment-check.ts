import { Aspects, CfnResource, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { Construct, type IConstruct } from 'constructs';
import {
  deploymentCheckMinutes,
  deploymentCheckProperties,
} from '../../contract/deployment-check.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import type { RegionId } from '../../contract/regions.ts';
import type { ServiceFunctions } from '../functions/service-functions.ts';

export interface DeploymentCheckProps {
  readonly config: DeploymentConfig;
  readonly regionId: RegionId;
  readonly functions: ServiceFunctions;
}

/**
 * Before a deployment changes any other resource, this checks that the config is that of the
 * deployed service, and that it still names the algorithm of every signing key in use. If not, the
 * deployment fails with the reason, and CloudFormation rolls it back. The check runs when one of the
 * properties changes, and again in the rollback.
 */
export class DeploymentCheck extends Construct {
  constructor(scope: Construct, id: string, { config, regionId, functions }: DeploymentCheckProps) {
    super(scope, id);
    const { handler, role, logGroup } = functions.deploymentCheck;
    const check = new CustomResource(this, 'Default', {
      resourceType: 'Custom::DeploymentCheck',
      serviceToken: handler.functionArn,
      // Longer than the function runs, and much shorter than CloudFormation's hour.
      serviceTimeout: Duration.minutes(deploymentCheckMinutes + 1),
      properties: deploymentCheckProperties(config, regionId),
    });
    check.node.addDependency(handler, role, logGroup);
    this.letAllWait(functions.deploymentCheck);
  }

  /** Everything in the stack but what the check needs, also what others add to the stack. */
  private letAllWait(needed: Construct): void {
    const check = this.node.findChild('Default').node.defaultChild as CfnResource;
    const first = new Set<IConstruct>([check, ...needed.node.findAll()]);
    Aspects.of(Stack.of(this)).add({
      visit: (node) => {
        if (CfnResource.isCfnResource(node) && !first.has(node)) node.addResourceDependency(check);
      },
    });
  }
}
