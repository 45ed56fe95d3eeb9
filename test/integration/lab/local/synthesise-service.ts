import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../../../contract/deployment-config.ts';
import { buildLambdas } from '../../../../lab/build/main.ts';
import type { FromSynth } from '../../../../lab/local/from-synth/synthesised-deployment.ts';
import {
  buildLocalDeployment,
  type LocalDeploymentOptions,
} from '../../../../lab/local/local-deployment.ts';
import { addAuthorizationServer } from '../../../../lib/authorization-server.ts';
import { featureFlags } from '../../../../lib/feature-flags.ts';

/** With a domain, since a deployment without one lacks the path of RFC 8414. */
const domain: DeploymentConfigInput['domain'] = {
  name: 'auth.example.com',
  hostedZoneId: 'Z0123456789ABCDEFGHIJ',
  hostedZoneName: 'example.com',
};

/**
 * Synthesises the deployment of a local run, with the bundles that a deployment would upload.
 *
 * @param more other keys of the deployment config.
 */
export function synthesiseService(
  directory: string,
  options: LocalDeploymentOptions,
  more: Partial<DeploymentConfigInput> = {},
): FromSynth {
  // Of the sources as they are: older bundles may need other permissions than the templates give.
  const bundles = join(directory, 'bundles');
  buildLambdas(bundles);
  const { input } = buildLocalDeployment('http://localhost:8080', options);
  const { issuer: _, ...rest } = input;
  const synthesised = { ...rest, domain, ...more };
  const config = join(directory, 'synthesised.json');
  writeFileSync(config, JSON.stringify(synthesised));
  const app = new App({
    context: { ...featureFlags, 'aws:cdk:disable-stack-trace': true },
    outdir: join(directory, 'cdk.out'),
  });
  addAuthorizationServer(app, parseDeploymentConfig(synthesised), { bundles });
  app.synth();
  return { directory: app.outdir, config };
}
