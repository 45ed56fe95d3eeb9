import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { FunctionName } from '../../contract/environment.ts';
import { functionName, roleName } from '../../contract/function-names.ts';
import type { RegionId } from '../../contract/regions.ts';

/**
 * A function's ARN by its fixed name. The construct's own attribute would cause a cycle, because
 * the policies of the function's role exist before the function.
 */
export function functionArn(scope: IConstruct, deploymentName: string, name: FunctionName): string {
  return Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: functionName(deploymentName, name),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

/**
 * The caller that AWS sees behind a function's calls. Lambda assumes the function's role and names
 * the session after the function.
 */
export function sessionArn(
  scope: IConstruct,
  deploymentName: string,
  regionId: RegionId,
  name: FunctionName,
): string {
  const role = roleName(deploymentName, regionId, name);
  return Stack.of(scope).formatArn({
    service: 'sts',
    region: '',
    resource: 'assumed-role',
    resourceName: `${role}/${functionName(deploymentName, name)}`,
  });
}
