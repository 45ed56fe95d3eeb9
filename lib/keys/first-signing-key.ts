import {
  Aspects,
  CfnResource,
  CustomResource,
  Duration,
  type IAspect,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import {
  deploymentCheckMinutes,
  deploymentCheckProperties,
} from '../../contract/deployment-check.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import type { RegionId } from '../../contract/regions.ts';
import { rotationTimeout, type ServiceFunctions } from '../functions/service-functions.ts';

/**
 * Runs the key rotation during a deployment. It ends when the newest code of the token function
 * signs: a successful deployment issues tokens, and only then the aliases move. It runs again when
 * the code or the settings of the rotation or of the token function change. When the stack is
 * deleted, it does nothing.
 *
 * CloudFormation itself invokes the function. The CDK's trigger would use a role that the stack
 * makes, and gives up after a minute if IAM does not know the role's policy.
 */
export function addFirstSigningKey(
  scope: Construct,
  { keyRotation, token, all, live }: ServiceFunctions,
  after: readonly Construct[],
): void {
  const firstKey = new CustomResource(scope, 'Default', {
    resourceType: 'Custom::FirstSigningKey',
    serviceToken: keyRotation.handler.functionArn,
    // Longer than the function runs, and much shorter than CloudFormation's hour.
    serviceTimeout: rotationTimeout.plus(Duration.minutes(1)),
    // CloudFormation invokes the function when a property changes.
    properties: {
      RotationVersion: keyRotation.handler.currentVersion.functionArn,
      TokenVersion: token.handler.currentVersion.functionArn,
    },
  });
  firstKey.node.addDependency(
    ...after,
    // Not the whole constructs of the functions, because they contain the aliases.
    ...all.flatMap(({ handler, role, logGroup }) => [handler, role, logGroup]),
  );
  for (const alias of Object.values(live)) alias.node.addDependency(firstKey);
  Validations.of(keyRotation.handler).acknowledge({
    id: 'Annotation::@aws-cdk/aws-lambda:addPermissionsToVersionOrAlias',
    reason: 'CloudFormation and the schedule invoke the function. No caller invokes a version.',
  });
}

/**
 * Before a deployment changes any other resource, this checks that the config is that of the
 * deployed service, and that it still names the algorithm of every signing key in use. If not, the
 * deployment fails with the reason, and CloudFormation rolls it back. The check runs when one of the
 * properties changes, and again in the rollback.
 */
export function addDeploymentCheck(
  scope: Construct,
  config: DeploymentConfig,
  regionId: RegionId,
  { deploymentCheck }: ServiceFunctions,
): CustomResource {
  const { handler, role, logGroup } = deploymentCheck;
  const check = new CustomResource(scope, 'Default', {
    resourceType: 'Custom::DeploymentCheck',
    serviceToken: handler.functionArn,
    // Longer than the function runs, and much shorter than CloudFormation's hour.
    serviceTimeout: Duration.minutes(deploymentCheckMinutes + 1),
    properties: deploymentCheckProperties(config, regionId),
  });
  check.node.addDependency(handler, role, logGroup);
  return check;
}

/**
 * Everything in the stack waits for the check, but what the check needs. A network of the company,
 * which it adds to the stack later, can be what the check needs.
 */
export function letAllWait(check: CustomResource, { deploymentCheck }: ServiceFunctions): void {
  const resource = check.node.defaultChild as CfnResource;
  const first = new Set<IConstruct>([resource, ...deploymentCheck.node.findAll()]);
  const wait: IAspect = {
    visit: (node) => {
      if (CfnResource.isCfnResource(node) && !first.has(node)) node.addResourceDependency(resource);
    },
  };
  for (const part of Stack.of(check).node.children) Aspects.of(part).add(wait);
}
