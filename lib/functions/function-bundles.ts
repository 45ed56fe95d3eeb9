import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { AssetOptions } from 'aws-cdk-lib/aws-s3-assets';
import type { FunctionName } from '../../contract/function-names.ts';

/** The bundle of a function does not exist. */
class MissingBundleError extends Error {
  override readonly name = 'MissingBundleError';
}

/** The bundles of this package: next to the published code, or in `dist/` if the sources run. */
export function getBundles(): string {
  const published = join(import.meta.dirname, 'lambda');
  return existsSync(published) ? published : join(import.meta.dirname, '../../dist/lambda');
}

/**
 * The folder that the build wrote for a function. The stack bundles nothing itself, so it uploads
 * exactly what was tested and measured.
 *
 * @param directory holds a folder for each function, e.g. `dist/lambda`.
 * @param files that depend on the deployment, by name: they are put next to the bundle.
 * @throws {MissingBundleError} if the function was not built.
 */
export function functionBundle(
  directory: string,
  name: FunctionName,
  files: Readonly<Record<string, string>> = {},
): Code {
  const folder = join(directory, name);
  if (!existsSync(join(folder, 'index.js'))) {
    throw new MissingBundleError(
      `there is no bundle of the ${name} function at ${folder}: run "npm run build" first`,
    );
  }
  if (Object.keys(files).length === 0) return Code.fromAsset(folder);
  return Code.fromAsset(folder, withFiles(folder, files));
}

/** The bundle and the files as one folder. The hash is that of the result. */
function withFiles(folder: string, files: Readonly<Record<string, string>>): AssetOptions {
  const tryBundle = (output: string): boolean => {
    cpSync(folder, output, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(output, file), text);
    return true;
  };
  return {
    assetHashType: AssetHashType.OUTPUT,
    // The image is never used, because the local way always succeeds.
    bundling: { image: DockerImage.fromRegistry('scratch'), local: { tryBundle } },
  };
}
