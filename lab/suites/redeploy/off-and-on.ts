import assert from 'node:assert/strict';
import { delimiter } from 'node:path';
import singleRegion from '../../../config/single-region.json' with { type: 'json' };
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { eventually, say } from '../../ministack/proof.ts';
import { assertKept, listStatefulResources, listTables, outlivesItsStack } from './deployment.ts';
import { compareStacks } from './difference.ts';
import { followProcedure } from './procedure.ts';
import { deployRelease, importExisting, stackName, synthesiseRelease } from './release.ts';
import type { InUse } from './release-before.ts';
import { update } from './updates.ts';

/** Every switch of the config that adds or removes resources, off. */
const off = {
  webAcl: undefined,
  backup: undefined,
  alarmEmails: [],
  gradualDeployment: false,
  reservedConcurrency: {},
  federatedClients: undefined,
  terminationProtection: false,
} satisfies Partial<DeploymentConfigInput>;

/** The same switches, on. */
const on = {
  webAcl: { tokenRequestsPerFiveMinutes: 2000 },
  backup: { retentionDays: 35 },
  alarmEmails: ['oncall@example.com'],
  gradualDeployment: true,
  reservedConcurrency: { token: 400, discovery: 200, jwks: 200 },
  federatedClients: { ownProviders: true },
  dashboard: 'on',
  authorizationEndpoint: true,
} satisfies Partial<DeploymentConfigInput>;

/** The example is refused before it changes anything, also over the release before. */
export async function proveOtherConfigRefused({ deployment, release }: InUse): Promise<void> {
  const { cloud, stack, service } = deployment;
  const before = await stack.readState();
  const stateful = await listStatefulResources(deployment);
  const example: DeploymentConfigInput = {
    ...(singleRegion as DeploymentConfigInput),
    signingKeyPolicy: release.config.signingKeyPolicy,
  };
  const tokens = await service.during(() =>
    assert.rejects(
      deployRelease(cloud, { ...release, config: example }),
      /this is not the config of the deployed service[\s\S]*issuer: received nothing; allowed: "https:\/\/auth\.example\.com"/,
    ),
  );
  assert.equal(await stack.readStatus(), 'UPDATE_ROLLBACK_COMPLETE');
  const difference = compareStacks(before, await stack.readState());
  assert.deepEqual(difference, { added: [], updated: [], removed: [], replaced: [] });
  await assertKept(deployment, stateful);
  say(`the config of another service: refused and rolled back; ${tokens} tokens meanwhile`);
}

/**
 * A change of the audience that the config names as meant, and that fails when the new version is
 * live: the rollback calls the check again, with the audience of before.
 */
export async function proveMeantChange({ deployment, release }: InUse): Promise<void> {
  const { cloud, stack } = deployment;
  const { defaultAudience } = release.config;
  const config = { ...release.config, defaultAudience: 'https://other.example.com' };
  await assert.rejects(deployRelease(cloud, { ...release, config }), /"formerDefaultAudience": "/);
  // The stage changes after the aliases, because its deployment refers to them.
  const tags = { ...release.config.tags, release: '2' };
  const meant = { ...config, formerDefaultAudience: defaultAudience, tags };
  const assembly = await synthesiseRelease(cloud, 'meant', { ...release, config: meant });
  const { resources } = await stack.readState();
  const [last = ''] =
    [...resources].find(([, { type }]) => type === 'AWS::ApiGateway::Stage') ?? [];
  cloud.failNext(last);
  await assert.rejects(cloud.deploy(assembly, importExisting, stackName), /asked for it/);
  assert.equal(await stack.readStatus(), 'UPDATE_ROLLBACK_COMPLETE');
  say('a change that is meant and fails: rolled back, and the check passes on the way');
}

/** Each switch off and on again: what stayed is imported, and the service answers throughout. */
export async function proveSwitches({ deployment, release }: InUse): Promise<void> {
  const { cloud, stack, service } = deployment;
  const change = (name: string, config: Partial<DeploymentConfigInput>) =>
    update(deployment, name, { ...release, config: { ...release.config, ...config } });
  await change('every switch on', on);
  const assembly = await synthesiseRelease(cloud, 'again', {
    ...release,
    config: { ...release.config, ...on },
  });
  // Log groups and the vault leave the stack, and stay.
  const allOff = { ...release, config: { ...release.config, ...off } };
  const meanwhile = await service.during(() => deployRelease(cloud, allOff));
  say(`every switch off; ${meanwhile} tokens meanwhile`);
  const before = await stack.readState();
  const tokens = await service.during(() =>
    assert.rejects(cloud.deploy(assembly, stackName), /already exists/),
  );
  assert.deepEqual((await stack.readState()).resources, before.resources);
  say(`on again without ${importExisting}: refused and rolled back; ${tokens} tokens meanwhile`);
  await change(`on again with ${importExisting}`, on);
}

const page = 'docs/deploy.md';

/**
 * The stack is destroyed while a person has its policies. They stay until the commands of the page
 * detach and delete them. Then the same name is deployed again, with the tables, log groups and vault
 * of before.
 */
export async function proveDestroyed(
  { deployment, release, operators }: InUse,
  pythonBin: string,
): Promise<void> {
  const { cloud, stack } = deployment;
  const config = { ...release.config, ...on, terminationProtection: false };
  const assembly = await synthesiseRelease(cloud, 'last', { ...release, config });
  await cloud.deploy(assembly, importExisting, stackName);
  const listKept = async () => (await listTables(cloud)).filter(outlivesItsStack).toSorted();
  const tables = await listKept();
  await cloud.destroy(assembly, stackName);
  assert.equal(await stack.readStatus(), 'DELETE_COMPLETE');
  await operators.assertAttached();
  say('destroyed while a person has its policies, which stay');
  await assert.rejects(cloud.deploy(assembly, importExisting, stackName), /already exists/);
  await stack.forgetFailedCreation();
  await followProcedure(cloud, page, { PATH: [pythonBin, process.env['PATH']].join(delimiter) });
  await cloud.deploy(assembly, importExisting, stackName);
  assert.deepEqual(await listKept(), tables);
  await eventually(() => deployment.service.getTokens(1));
  say('deployed again with what stayed: the same tables, the same client gets tokens');
}

/** The release before again, with its own templates and functions, and then this one. */
export async function proveReleaseAndBack(kept: InUse): Promise<void> {
  const { deployment, release, former } = kept;
  const { cloud, service } = deployment;
  const stateful = (await listStatefulResources(deployment)).filter(outlivesItsStack);
  const back = await service.during(async () => {
    await cloud.deploy(former, importExisting, stackName);
  });
  await assertKept(deployment, stateful);
  say(`back to the release before, with its templates; ${back} tokens meanwhile`);
  await update(deployment, 'this release again', release);
}
