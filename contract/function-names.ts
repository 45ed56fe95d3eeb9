import type { RegionId } from './regions.ts';

export type FunctionName =
  | 'token'
  | 'discovery'
  | 'jwks'
  | 'key-rotation'
  | 'authorizer'
  | 'canary'
  | 'deployment-check'
  | 'synthetic-check'
  | 'management'
  | 'notices'
  | 'portal';

/** The default prefix of a deployment's names. */
export const defaultDeploymentName = 'authorization-server';

/** A stack of a deployment: of a region, of the shared tables, of the portal. */
type StackPart = RegionId | 'data' | 'portal';

/** The name of a stack on the command line (`cdk deploy …`), the same in each deployment. */
export function stackId(part: StackPart): string {
  return `AuthorizationServer-${part}`;
}

/**
 * Name of a stack in CloudFormation. It contains the deployment's name. Otherwise a second
 * deployment in the account would update the stacks of the first.
 */
export function stackName(deploymentName: string, part: StackPart): string {
  return deploymentName === defaultDeploymentName ? stackId(part) : `${deploymentName}-${part}`;
}

/** The alias of the version that receives the gateway's requests. */
export const liveAlias = 'live';

/** Name of a function in its AWS region: `authctl` finds the key rotation by it. */
export function functionName(deploymentName: string, name: FunctionName): string {
  return `${deploymentName}-${name}`;
}

/**
 * Name of a function's role. Roles are global in an account, so the name contains the platform
 * region. It is fixed because the key policy of a signing key names roles and outlives stacks.
 */
export function roleName(deploymentName: string, regionId: RegionId, name: FunctionName): string {
  return `${deploymentName}-${regionId}-${name}`;
}

/** Name of the managed policy for one group of `authctl` commands in one region. */
export function operatorPolicyName(
  deploymentName: string,
  regionId: RegionId,
  group: string,
): string {
  return `${deploymentName}-${regionId}-${group}`;
}
