import assert from 'node:assert/strict';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import type { Assembly, Cloud } from '../../ministack/cloud.ts';
import { createClient, say, sayLeftOut, signingKeyPolicy } from '../../ministack/proof.ts';
import { createHostedZone, example } from '../deploy/three-regions.ts';
import { awsRegion, stackName } from './release.ts';
import { ServiceInUse } from './service-in-use.ts';
import { Stack } from './stack.ts';

/** A deployed service that a client uses. */
export interface Deployment {
  readonly cloud: Cloud;
  readonly stack: Stack;
  readonly service: ServiceInUse;
  /** The client that uses it. */
  readonly clientId: string;
  /** Runs a command of `authctl`. */
  readonly authctl: (...args: readonly string[]) => Promise<Readonly<Record<string, unknown>>>;
}

/** One region with every option of the example of three regions. */
export const config: DeploymentConfigInput = {
  ...example,
  regions: { slc: { awsRegion } },
  signingKeyPolicy,
};

/** @returns the config with the hosted zone of the account. */
export async function prepareAccount(cloud: Cloud): Promise<DeploymentConfigInput> {
  await cloud.bootstrap(awsRegion);
  return { ...config, domain: { ...example.domain, hostedZoneId: await createHostedZone(cloud) } };
}

/** Deploys an assembly with `cdk deploy`, and creates the client that uses the service. */
export async function deployAssembly(
  cloud: Cloud,
  assembly: Assembly,
  config: DeploymentConfigInput,
): Promise<Deployment> {
  const outputs = await cloud.deploy(assembly, stackName);
  const issuer = outputs[stackName]?.['Issuer'];
  assert.ok(issuer);
  const authctl: Deployment['authctl'] = (...args) =>
    cloud.authctl(cloud.writeConfig(config), awsRegion, ...args);
  const client = await createClient(authctl);
  say(`deployed ${issuer}`);
  sayLeftOut(assembly.leftOut);
  return {
    cloud,
    stack: new Stack(cloud, awsRegion, stackName),
    service: new ServiceInUse({ issuer, audience: config.defaultAudience }, client),
    clientId: client.clientId,
    authctl,
  };
}
