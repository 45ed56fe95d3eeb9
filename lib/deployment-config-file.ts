import { readFileSync } from 'node:fs';
import {
  type DeploymentConfig,
  DeploymentConfigError,
  parseDeploymentConfig,
} from '../contract/deployment-config.ts';
import { parseJsonFile } from '../contract/json-object.ts';

/** A deployment config file that cannot be used. Its message names the file. */
export class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError';
}

/**
 * Reads the file that the CDK context `config` names.
 *
 * @throws {ConfigFileError} if the context or the file is missing, is not JSON, or cannot be deployed.
 */
export function readDeploymentConfigFile(path: unknown): DeploymentConfig {
  if (typeof path !== 'string' || path === '') {
    throw new ConfigFileError(
      `context "config": received ${path === undefined ? 'nothing' : JSON.stringify(path)}; allowed: the path of the config of this deployment, e.g. -c config=config/mine.json. There is no default, because the stacks of an example have the same names as yours. For a first look: -c config=config/single-region.json`,
    );
  }
  const input = readJson(path);
  try {
    return parseDeploymentConfig(input);
  } catch (cause) {
    if (!(cause instanceof DeploymentConfigError)) throw cause;
    throw new ConfigFileError(`${path}: ${cause.message}`, { cause });
  }
}

function readJson(path: string): unknown {
  try {
    return parseJsonFile(readFileSync(path));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigFileError(`context "config": ${path} is not a readable JSON file: ${why}`, {
      cause,
    });
  }
}
