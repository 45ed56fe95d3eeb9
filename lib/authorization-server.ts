import { type App, type Stack, Tags } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { type DeploymentConfig, deployedRegions } from '../contract/deployment-config.ts';
import { stackId, stackName } from '../contract/function-names.ts';
import { DataStack } from './data-stack.ts';
import { findBundles } from './functions/function-bundles.ts';
import { RegionStack } from './region-stack.ts';

export interface AuthorizationServerOptions {
  /**
   * Folder of the function bundles.
   *
   * @default the ones of this package
   */
  readonly bundles?: string;
}

/**
 * Adds the stacks of a deployment to an app: one per region and, if there are several regions,
 * first one for the tables that they share.
 */
export function addAuthorizationServer(
  app: App,
  config: DeploymentConfig,
  { bundles = findBundles() }: AuthorizationServerOptions = {},
): readonly Stack[] {
  addTags(app, config);
  const data = addDataStack(app, config);
  const regions = deployedRegions(config).map(({ id, awsRegion }) => {
    const stack = new RegionStack(app, stackId(id), {
      stackName: stackName(config.name, id),
      config,
      regionId: id,
      awsRegion,
      bundles,
      env: { region: awsRegion },
      description: `Authorization server ${config.name}, region ${id}`,
    });
    // The stacks are connected only by names and order. An export would couple the stacks of three
    // AWS regions.
    if (data !== undefined) stack.addStackDependency(data);
    return stack;
  });
  const stacks = data === undefined ? regions : [data, ...regions];
  for (const stack of stacks) addPermissionsBoundary(stack, config);
  return stacks;
}

function addTags(app: App, config: DeploymentConfig): void {
  const tags = { application: config.name, ...config.tags };
  for (const [name, value] of Object.entries(tags)) Tags.of(app).add(name, value);
}

function addPermissionsBoundary(
  stack: Stack,
  { permissionsBoundaryArn: arn }: DeploymentConfig,
): void {
  if (arn === undefined) return;
  const boundary = ManagedPolicy.fromManagedPolicyArn(stack, 'PermissionsBoundary', arn);
  PermissionsBoundary.of(stack).apply(boundary);
}

function addDataStack(app: App, config: DeploymentConfig): DataStack | undefined {
  const [home, ...others] = deployedRegions(config);
  if (home === undefined || others.length === 0) return undefined;
  return new DataStack(app, stackId('data'), {
    stackName: stackName(config.name, 'data'),
    config,
    env: { region: home.awsRegion },
    description: `Authorization server ${config.name}, tables of all regions`,
  });
}
