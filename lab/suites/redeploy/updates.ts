import assert from 'node:assert/strict';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { say } from '../../ministack/proof.ts';
import {
  assertKept,
  type Deployment,
  listLiveVersions,
  listStatefulResources,
} from './deployment.ts';
import { compareStacks, type Difference, describeDifference } from './difference.ts';
import { deployRelease, type Release } from './release.ts';

/** Deploys a release with `cdk deploy` while a client uses the service. */
export async function update(
  deployment: Deployment,
  name: string,
  release: Release,
): Promise<Difference> {
  const { cloud, stack, service } = deployment;
  const before = await stack.readState();
  const stateful = await listStatefulResources(deployment);
  const tokens = await service.during(() => deployRelease(cloud, release));
  await assertKept(deployment, stateful);
  const difference = compareStacks(before, await stack.readState());
  say(`${name}: ${describeDifference(difference)}`);
  say(`  ${tokens} tokens were issued and verified meanwhile`);
  return difference;
}

/** Updates of each kind, one after another. The client of the service notices none of them. */
export async function proveUpdates(
  deployment: Deployment,
  [first, second]: readonly [Release, Release],
): Promise<void> {
  const same = await update(deployment, 'the same version again', first);
  assert.deepEqual(same, { added: [], updated: [], removed: [], replaced: [] });

  const before = await listLiveVersions(deployment);
  await update(deployment, 'a later version of the code', second);
  const after = await listLiveVersions(deployment);
  assert.ok(before.every(({ sha256 }, index) => sha256 !== after[index]?.sha256));
  await proveConfigs(deployment, second);
}

/** Changes of the config. Each has those before it. */
async function proveConfigs(deployment: Deployment, { bundles, config }: Release): Promise<void> {
  const { service } = deployment;
  let current = config;
  const change = (name: string, changed: Partial<DeploymentConfigInput>) => {
    current = { ...current, ...changed };
    return update(deployment, name, { bundles, config: current });
  };
  await change('another algorithm', { signingAlgorithms: ['RS256', 'ES256'] });
  const { id_token_signing_alg_values_supported: algorithms } = await service.readMetadata();
  assert.deepEqual(algorithms, ['RS256', 'ES256']);

  await change('gradual deployment off', { gradualDeployment: false });
  await change('gradual deployment on', { gradualDeployment: true });

  await change('more memory', { tokenFunction: { memory: 2048 } });
  const [token] = await listLiveVersions(deployment);
  assert.equal(token?.memory, 2048);

  const faxes = { service: 'faxes', permission: 'send', description: 'Send faxes' };
  await change('a new scope', { scopes: [...config.scopes, faxes] });
  const { scopes_supported } = await service.readMetadata();
  assert.ok(scopes_supported.includes('faxes:send'));
}
