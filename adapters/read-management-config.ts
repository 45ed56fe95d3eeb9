import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManagementConfig } from '../contract/management/management-config.ts';

/**
 * Reads the config that the stack put next to the management function's bundle. The stack parsed it.
 *
 * @param environment the process's variables, by AWS's own names.
 */
export function readManagementConfig(
  file: string,
  { LAMBDA_TASK_ROOT = '.' }: Readonly<Record<string, string | undefined>>,
): ManagementConfig {
  return JSON.parse(readFileSync(join(LAMBDA_TASK_ROOT, file), 'utf8')) as ManagementConfig;
}
