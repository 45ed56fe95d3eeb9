import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  managementConfigFile,
  type PortalFunctionConfig,
  portalConfigFile,
} from '../contract/function-settings.ts';
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
export function readManagementConfig(environment: Environment): ManagementConfig {
  return readFile(managementConfigFile, environment) as ManagementConfig;
}

/** The config of the portal function. */
export function readPortalConfig(environment: Environment): PortalFunctionConfig {
  return readFile(portalConfigFile, environment) as PortalFunctionConfig;
}
