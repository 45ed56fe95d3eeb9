import type { FunctionName } from './environment.ts';
import type { RegionId } from './regions.ts';

/** What names of a deployment begin with if its config says nothing. */
export const defaultDeploymentName = 'authorization-server';

/**
 * The name of a stack on the command line (`cdk deploy …`). It does not depend on the deployment's
 * name.
 */
export function stackId(part: RegionId | 'data'): string {
  return `AuthorizationServer-${part}`;
}

/**
 * Name of a stack in CloudFormation. It differs between deployments, so that one never takes
 * another's stacks in the same account for an older state of its own.
 */
export function stackName(deploymentName: string, part: RegionId | 'data'): string {
  return deploymentName === defaultDeploymentName ? stackId(part) : `${deploymentName}-${part}`;
}

/** Name of a function in its AWS region: `authctl` finds the key rotation by it. */
export function functionName(deploymentName: string, name: FunctionName): string {
  return `${deploymentName}-${name}`;
}

/**
 * Name of a function's role. Roles belong to no AWS region, so that the name carries the
 * platform's. It is fixed because the key policy of a signing key names roles and outlives stacks.
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
