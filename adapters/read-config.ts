import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PortalFunctionConfig } from '../contract/function-environments.ts';
import type { ManagementConfig } from '../contract/management/management-config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads what the stack put next to a function's bundle. The stack parsed it.
 *
 * @param environment the process's variables, by AWS's own names.
 */
function readFile(file: string, { LAMBDA_TASK_ROOT = '.' }: Environment): unknown {
  return JSON.parse(readFileSync(join(LAMBDA_TASK_ROOT, file), 'utf8'));
}

/** The config of the management function. */
export function readManagementConfig(file: string, environment: Environment): ManagementConfig {
  return readFile(file, environment) as ManagementConfig;
}

/** The config of the portal function. */
export function readPortalConfig(file: string, environment: Environment): PortalFunctionConfig {
  return readFile(file, environment) as PortalFunctionConfig;
}
