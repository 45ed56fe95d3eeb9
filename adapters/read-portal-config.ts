import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PortalFunctionConfig } from '../contract/function-environments.ts';

/**
 * Reads the config that the stack put next to the portal function's bundle. The stack parsed it.
 *
 * @param environment the process's variables, by AWS's own names.
 */
export function readPortalConfig(
  file: string,
  { LAMBDA_TASK_ROOT = '.' }: Readonly<Record<string, string | undefined>>,
): PortalFunctionConfig {
  return JSON.parse(readFileSync(join(LAMBDA_TASK_ROOT, file), 'utf8')) as PortalFunctionConfig;
}
