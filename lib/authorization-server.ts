import { type App, Tags, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { type DeploymentConfig, deployedRegions } from '../contract/deployment-config.ts';
import { RegionStack } from './region-stack.ts';

export interface AuthorizationServerOptions {
  /** Folder of the function bundles, e.g. `dist/lambda`. */
  readonly bundles: string;
}

/** Adds the stacks of a deployment to an app: one for each region. */
export function addAuthorizationServer(
  app: App,
  config: DeploymentConfig,
  { bundles }: AuthorizationServerOptions,
): readonly RegionStack[] {
  Tags.of(app).add('application', config.name);
  return deployedRegions(config).map(
    ({ id, awsRegion }) =>
      new RegionStack(app, `AuthorizationServer-${id}`, {
        config,
        regionId: id,
        bundles,
        env: { region: awsRegion },
        description: `Authorization server ${config.name}, region ${id}`,
      }),
  );
}

/** Makes a finding of a rule pack, unless acknowledged beside its resource, end the synthesis. */
export function checkAgainstRulePacks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}
