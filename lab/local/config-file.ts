import { readFileSync } from 'node:fs';
import {
  DeploymentConfigError,
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { parseJsonFile } from '../../contract/json-object.ts';
import { LocalRunError } from '../emulator/loopback-server.ts';

function explain(error: unknown): string {
  if (error instanceof DeploymentConfigError) return error.message;
  if (error instanceof SyntaxError) return `the deployment config is not JSON: ${error.message}`;
  return `the deployment config cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
}

/**
 * Reads a deployment config, which must be one that can be deployed.
 *
 * @returns it as a person wrote it, and parsed.
 * @throws {LocalRunError} naming the file, the values that are not allowed, and what is.
 */
export function readConfigFile(path: string) {
  try {
    const input: unknown = parseJsonFile(readFileSync(path));
    const config = parseDeploymentConfig(input);
    return { input: input as DeploymentConfigInput, config };
  } catch (cause) {
    throw new LocalRunError(`${path}: ${explain(cause)}`, { cause });
  }
}
