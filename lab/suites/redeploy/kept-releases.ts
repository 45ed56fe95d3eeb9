import assert from 'node:assert/strict';
import { LambdaClient, UpdateAliasCommand } from '@aws-sdk/client-lambda';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import type { Assembly, Cloud } from '../../ministack/cloud.ts';
import { createClient, eventually, getToken, say } from '../../ministack/proof.ts';
import {
  type KeptDeployment,
  readRelease,
  writeAssembly,
} from '../../support/releases/kept-release.ts';
import { createHostedZone, example } from '../deploy/three-regions.ts';
import {
  type Deployment,
  deployAssembly,
  type LiveVersion,
  listLiveVersions,
} from './deployment.ts';
import {
  attachOperators,
  type Operators,
  proveOperatorsAfterUpdate,
  proveOperatorsBefore,
} from './operators.ts';
import { awsRegion, type Release, stackName } from './release.ts';
import { update } from './updates.ts';

/** Tokens that the versions of before have to issue. */
const enough = 5;

/** The kept deployment, in the hosted zone of the account. */
async function placeInZone(cloud: Cloud, kept: KeptDeployment): Promise<KeptDeployment> {
  const text = JSON.stringify(kept);
  const placed = text.replaceAll(example.domain.hostedZoneId, await createHostedZone(cloud));
  assert.notEqual(placed, text, 'the kept release has no hosted zone of the example');
  return JSON.parse(placed) as KeptDeployment;
}

/** What a kept release deployed, in use, and this version for it. */
export interface KeptInUse {
  readonly deployment: Deployment;
  /** This version. */
  readonly release: Release;
  /** What was live in the kept release. */
  readonly before: readonly LiveVersion[];
  readonly operators: Operators;
  /** The templates and the functions of the kept release. */
  readonly former: Assembly;
}

/** How a kept release is deployed, and what comes after it. */
interface KeptOptions {
  /** This version's functions. */
  readonly bundles: string;
  /** What the deployment of the release is in place of the kept one. */
  readonly before?: ((kept: KeptDeployment) => KeptDeployment) | undefined;
}

/** Deploys what a release deployed, for a client and for operators. */
export async function deployKept(
  cloud: Cloud,
  version: string,
  { bundles, before: change = (kept) => kept }: KeptOptions,
): Promise<KeptInUse> {
  await cloud.bootstrap(awsRegion);
  const { deployments } = readRelease(version);
  const kept = change(await placeInZone(cloud, deployments['one-region'] as KeptDeployment));
  const assembly = cloud.addAssembly(version, (directory) => writeAssembly(kept, directory));
  const { config } = kept;
  const deployment = await deployAssembly(cloud, assembly, config);
  const { clientId } = deployment;
  const former = { version, config, clientId, folder: assembly.directory };
  const operators = await attachOperators(cloud, former);
  const before = await listLiveVersions(deployment);
  return { deployment, release: { bundles, config }, before, operators, former: assembly };
}

/** Updates it to this version: operators and the client work as before. */
export async function updateKept(kept: KeptInUse): Promise<void> {
  const { deployment, release, operators } = kept;
  await proveOperatorsBefore(deployment.cloud, operators, release.config);
  await update(deployment, 'to this version', release);
  await proveOperatorsAfterUpdate(deployment.cloud, operators, release.config);
}

/** Moves the aliases, as docs/procedures/go-back.md says. */
async function moveAliases(cloud: Cloud, versions: readonly LiveVersion[]): Promise<void> {
  const lambda = new LambdaClient(cloud.sdk(awsRegion));
  for (const { functionName: FunctionName, version: FunctionVersion } of versions) {
    await lambda.send(new UpdateAliasCommand({ FunctionName, FunctionVersion, Name: 'live' }));
  }
  lambda.destroy();
}

/**
 * This version creates a client and rotates the key. Then the versions of the kept release serve
 * both, and afterwards this version again.
 */
export async function proveWayBack({
  deployment: { cloud, service, authctl },
  release: { config },
  before,
}: KeptInUse): Promise<void> {
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
