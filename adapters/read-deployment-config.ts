import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DeploymentConfig, parseDeploymentConfig } from '../contract/deployment-config.ts';

/**
 * Reads the deployment config that the stack put next to a function's bundle.
 *
 * @param environment the process's variables, by AWS's own names.
 * @throws {DeploymentConfigError} if it cannot be used.
 */
export function readDeploymentConfig(
  file: string,
  { LAMBDA_TASK_ROOT = '.' }: Readonly<Record<string, string | undefined>>,
): DeploymentConfig {
  return parseDeploymentConfig(JSON.parse(readFileSync(join(LAMBDA_TASK_ROOT, file), 'utf8')));
}
