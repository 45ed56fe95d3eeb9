import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { buildLambdas, lambdaFunctions } from '../../build/main.ts';
import type { Assembly, Cloud } from '../../ministack/cloud.ts';
import type { Template } from '../../support/template-changes/template.ts';

export const awsRegion = 'us-west-2';
export const stackName = 'AuthorizationServer-slc';

/** The option of `cdk deploy` that imports what an earlier deployment left behind. */
export const importExisting = '--import-existing-resources';

/** A version of the service: its functions and its config. */
export interface Release {
  /** Folder of the function bundles. */
  readonly bundles: string;
  readonly config: DeploymentConfigInput;
}

/**
 * Builds the bundles of a release. They differ from those of other releases in a first line.
 *
 * @param breakFunction whose code throws an error when it is loaded.
 */
export function buildRelease(outdir: string, number: number, breakFunction?: string): string {
  buildLambdas(outdir);
  for (const name of lambdaFunctions()) {
    const broken = name === breakFunction ? `throw new Error('release ${number} is broken');` : '';
    const path = join(outdir, name, 'index.js');
    writeFileSync(path, `globalThis.release = ${number};${broken}\n${readFileSync(path, 'utf8')}`);
  }
  return outdir;
}

/** Synthesises a release with the CDK. */
export function synthesiseRelease(cloud: Cloud, name: string, release: Release): Promise<Assembly> {
  const app = `node ${join(import.meta.dirname, 'service-app.ts')}`;
  const context = { config: cloud.writeConfig(release.config), bundles: release.bundles };
  const options = Object.entries(context).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  return cloud.synthesise(name, '--app', app, ...options);
}

/** Synthesises a release and deploys it as docs/upgrade.md says. */
export async function deployRelease(cloud: Cloud, release: Release): Promise<void> {
  const assembly = await synthesiseRelease(cloud, 'release', release);
  await cloud.deploy(assembly, importExisting, stackName);
}

/** The template of the stack, without what the emulator lacks. */
export function readTemplate({ directory }: Assembly): Template {
  const path = join(directory, `${stackName}.template.json`);
  return JSON.parse(readFileSync(path, 'utf8')) as Template;
}
