import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import type { Assembly, Cloud } from '../../ministack/cloud.ts';
import { createClient, eventually, getToken, say } from '../../ministack/proof.ts';
import { type AssemblyFiles, readAssembly, writeAssembly } from '../../support/assembly-files.ts';
import {
  type Deployment,
  deployAssembly,
  type LiveVersion,
  listLiveVersions,
  prepareAccount,
} from './deployment.ts';
import { attachOperators, type Operators } from './operators.ts';
import { awsRegion, buildRelease, type Release, stackName, synthesiseRelease } from './release.ts';
import { update } from './updates.ts';

/** Tokens that the versions of before have to issue. */
const enough = 5;

/** A release that was deployed and is in use, and the next one for it. */
export interface InUse {
  readonly deployment: Deployment;
  /** The next one. */
  readonly release: Release;
  /** What was live in the release before. */
  readonly before: readonly LiveVersion[];
  readonly operators: Operators;
  /** The templates and the functions of the release before. */
  readonly former: Assembly;
}

/**
 * Deploys a release, for a client and for operators, and builds the next one.
 *
 * @param change of what the release deploys.
 */
export async function deployBefore(
  cloud: Cloud,
  folder: string,
  change: (files: AssemblyFiles) => AssemblyFiles = (files) => files,
): Promise<InUse> {
  const config = await prepareAccount(cloud);
  const bundlesOf = (number: number) => buildRelease(join(folder, `release-${number}`), number);
  const whole = await synthesiseRelease(cloud, 'whole', { bundles: bundlesOf(1), config });
  const files = change(readAssembly(whole.directory));
  const { directory } = cloud.addAssembly('former', (path) => writeAssembly(files, path));
  const former = { directory, leftOut: whole.leftOut };
  const deployment = await deployAssembly(cloud, former, config);
  const operators = await attachOperators(cloud, config, deployment.clientId);
  const before = await listLiveVersions(deployment);
  return { deployment, release: { bundles: bundlesOf(2), config }, before, operators, former };
}

/** Updates it to the next release: operators and the client work as before. */
export async function updateToNext({ deployment, release, operators }: InUse): Promise<void> {
  await operators.assertWork();
  await update(deployment, 'to the next release', release);
  await operators.assertAttached();
  await operators.assertWork();
}

/** Moves the aliases, as docs/procedures/go-back.md says. */
async function moveAliases(cloud: Cloud, versions: readonly LiveVersion[]): Promise<void> {
  const { lambda } = cloud.aws(awsRegion);
  for (const { functionName: FunctionName, version: FunctionVersion } of versions) {
    await lambda.updateAlias({ FunctionName, FunctionVersion, Name: 'live' });
  }
}

/**
 * The next release creates a client and rotates the key. Then the versions of the one before serve
 * both, and afterwards the next one again.
 */
export async function proveWayBack({
  deployment: { cloud, service, authctl },
  release: { config },
  before,
}: InUse): Promise<void> {
  const current = await listLiveVersions({ cloud });
  const client = await createClient(authctl);
  await cloud.ageNextKey(parseDeploymentConfig(config), 'slc');
  await service.during(async () => {
    await eventually(() => authctl('signing-key', 'rotate'));
  });
  const { token_endpoint } = await service.readMetadata();
  const tokens = await service.during(async () => {
    await moveAliases(cloud, before);
    assert.deepEqual(await listLiveVersions({ cloud }), before);
    await getToken(token_endpoint, client);
    const target = service.tokens + enough;
    await eventually(async () => assert.ok(service.tokens >= target, 'no tokens'));
    await moveAliases(cloud, current);
  });
  say(`${stackName}: the versions of before serve what the next release wrote; ${tokens} tokens`);
}
