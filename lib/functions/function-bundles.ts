import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { FunctionName } from '../../contract/environment.ts';

/** The bundle of a function does not exist. */
export class MissingBundleError extends Error {
  override readonly name = 'MissingBundleError';
}

/** The bundles of this package: next to the published code, or in `dist/` if the sources run. */
export function findBundles(): string {
  const published = join(import.meta.dirname, 'lambda');
  return existsSync(published) ? published : join(import.meta.dirname, '../../dist/lambda');
}

/**
 * The folder that the build wrote for a function. The stack bundles nothing itself, so it uploads
 * exactly what was tested and measured.
 *
 * @param directory holds a folder for each function, e.g. `dist/lambda`.
 * @throws {MissingBundleError} if the function was not built.
 */
export function functionBundle(directory: string, name: FunctionName): Code {
  const folder = join(directory, name);
  if (!existsSync(join(folder, 'index.js'))) {
    throw new MissingBundleError(
      `there is no bundle of the ${name} function at ${folder}: run "npm run build" first`,
    );
  }
  return Code.fromAsset(folder);
}
