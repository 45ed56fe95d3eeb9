import assert from 'node:assert/strict';
import { App } from 'aws-cdk-lib';
import singleRegion from '../../../config/single-region.json' with { type: 'json' };
import threeRegions from '../../../config/three-regions.json' with { type: 'json' };
import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import { addAuthorizationServer } from '../../../lib/authorization-server.ts';
import { say } from '../../ministack/proof.ts';
import { templatesOf } from '../../support/earlier-version/assembly-files.ts';
import type { EarlierVersion } from '../../support/earlier-version/build.ts';
import { portalConfig } from '../../support/portal-config.ts';
import { findHarm } from '../../support/template-changes/find-harm.ts';
import type { Template } from '../../support/template-changes/template.ts';

const single = singleRegion as DeploymentConfigInput;

const configs: Readonly<Record<string, DeploymentConfigInput>> = {
  'single-region': single,
  'three-regions': threeRegions as DeploymentConfigInput,
  'with-portal': { ...single, portal: portalConfig },
};

/** What this version deploys, in an app without any feature flag, as a company's own may be. */
function synthesise(config: DeploymentConfigInput): Readonly<Record<string, Template>> {
  const app = new App({ context: { 'aws:cdk:disable-stack-trace': true } });
  addAuthorizationServer(app, parseDeploymentConfig(config));
  const { stacks } = app.synth();
  return Object.fromEntries(
    stacks.map(({ stackName, template }) => [stackName, template as Template]),
  );
}

/** No update may replace or remove what is stateful, has a fixed name or is in an output. */
export function proveTemplates({ commit, synthesise: synthesiseEarlier }: EarlierVersion): void {
  for (const [name, config] of Object.entries(configs)) {
    const after = synthesise(config);
    const before = templatesOf(synthesiseEarlier(name, config));
    const harm = Object.entries(before).flatMap(([stack, template]) =>
      findHarm(template, after[stack] ?? { Resources: {} }).map(
        ({ logicalId, what }) => `${stack} ${logicalId} ${what}`,
      ),
    );
    assert.deepEqual(harm, [], `${name}: an update from ${commit} would lose resources`);
    say(`${name}: an update from ${commit} keeps what is stateful or has a fixed name`);
  }
}
