import assert from 'node:assert/strict';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import type { Assembly, Cloud } from '../../ministack/cloud.ts';
import { createClient, eventually, getToken, say } from '../../ministack/proof.ts';
import { type AssemblyFiles, writeAssembly } from '../../support/earlier-version/assembly-files.ts';
import type { EarlierVersion } from '../../support/earlier-version/build.ts';
import {
  type Deployment,
  deployAssembly,
  type LiveVersion,
  listLiveVersions,
  prepareAccount,
} from './deployment.ts';
import {
  assertWork,
  attachOperators,
  type Operators,
  proveOperatorsAfterUpdate,
} from './operators.ts';
import { awsRegion, type Release, stackName } from './release.ts';
import { update } from './updates.ts';

/** Tokens that the versions of before have to issue. */
const enough = 5;

/** What an earlier version deployed, in use, and this version for it. */
export interface EarlierInUse {
  readonly deployment: Deployment;
  /** This version. */
  readonly release: Release;
  /** What was live in the earlier version. */
  readonly before: readonly LiveVersion[];
  readonly operators: Operators;
  /** The templates and the functions of the earlier version. */
  readonly former: Assembly;
}

/** How an earlier version is deployed, and what comes after it. */
interface EarlierOptions {
  /** This version's functions. */
  readonly bundles: string;
  /** Changes what the earlier version deploys. */
  readonly before?: ((files: AssemblyFiles) => AssemblyFiles) | undefined;
}

/** Deploys an earlier version, for a client and for operators. */
export async function deployEarlier(
  cloud: Cloud,
  version: EarlierVersion,
  { bundles, before: change = (files) => files }: EarlierOptions,
): Promise<EarlierInUse> {
  const config = await prepareAccount(cloud);
  const files = change(version.synthesise('one-region', config));
  const assembly = cloud.addAssembly(version.commit, (directory) =>
    writeAssembly(files, directory),
  );
  const deployment = await deployAssembly(cloud, assembly, config);
  const { clientId } = deployment;
  const operators = await attachOperators(cloud, { source: version.source, config, clientId });
  const before = await listLiveVersions(deployment);
  return { deployment, release: { bundles, config }, before, operators, former: assembly };
}

/** Updates it to this version: operators and the client work as before. */
export async function updateEarlier(kept: EarlierInUse): Promise<void> {
  const { deployment, release, operators } = kept;
  await assertWork(operators, release.config);
  await update(deployment, 'to this version', release);
  await proveOperatorsAfterUpdate(operators, release.config);
}

/** Moves the aliases, as docs/procedures/go-back.md says. */
async function moveAliases(cloud: Cloud, versions: readonly LiveVersion[]): Promise<void> {
  const { lambda } = cloud.aws(awsRegion);
  for (const { functionName: FunctionName, version: FunctionVersion } of versions) {
    await lambda.updateAlias({ FunctionName, FunctionVersion, Name: 'live' });
  }
}

/**
 * This version creates a client and rotates the key. Then the versions of the earlier one serve
 * both, and afterwards this version again.
 */
export async function proveWayBack({
  deployment: { cloud, service, authctl },
  release: { config },
  before,
}: EarlierInUse): Promise<void> {
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
  say(`${stackName}: the versions of before serve what this version wrote; ${tokens} tokens`);
}
