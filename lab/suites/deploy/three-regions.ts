import assert from 'node:assert/strict';
import { decodeProtectedHeader } from 'jose';
import threeRegions from '../../../config/three-regions.json' with { type: 'json' };
import {
  type DeploymentConfig,
  type DeploymentConfigInput,
  deployedRegions,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import type { RegionId } from '../../../contract/regions.ts';
import { jwksPath, openidConfigurationPath, tokenPath } from '../../../contract/routes.ts';
import { deployedTableName, tables } from '../../../contract/tables.ts';
import { restorableTables } from '../../../core/restore/restore-tables.ts';
import type { Assembly, Cloud } from '../../ministack/cloud.ts';
import { assertIndexes, assertListed, assertNotListed } from '../../ministack/indexes.ts';
import {
  createClient,
  eventually,
  getToken,
  policyOf,
  say,
  sayLeftOut,
  signingKeyPolicy,
  verifyToken,
} from '../../ministack/proof.ts';
import { addReplicas, createHostedZone } from '../../ministack/regions.ts';
import { readAssembly, withoutIndexes, writeAssembly } from '../../support/assembly-files.ts';
import { type Credentials, requestToken } from '../../support/token-request.ts';

export const example = threeRegions as DeploymentConfigInput & Pick<typeof threeRegions, 'domain'>;
const { name: domainName, hostedZoneName } = example.domain;
const issuer = `https://${domainName}`;
const dataStack = 'AuthorizationServer-data';

export const threeRegionsNames = [domainName, `*.${domainName}`];

interface Region {
  readonly id: RegionId;
  readonly awsRegion: string;
  /** Under which only this region is served. */
  readonly origin: string;
  readonly stack: string;
}

/** Deploys the example of three regions, and uses each region next to the others. */
export async function proveThreeRegions(cloud: Cloud): Promise<void> {
  const input = { ...example, signingKeyPolicy };
  const regions = regionsOf(parseDeploymentConfig(input));
  const [home, ...others] = regions as [Region, Region, Region];
  await cloud.bootstrap(...regions.map(({ awsRegion }) => awsRegion));
  const domain = await describeDomain(cloud);
  const configPath = cloud.writeConfig({ ...input, domain });
  const assembly = await cloud.synthesiseConfig('service', { ...input, domain });
  await deployEarlierData(cloud, assembly);
  await addReplicas(cloud.aws(home.awsRegion).dynamodb, parseDeploymentConfig(input));
  say('replicas were added to the global tables by hand, which the emulator does not do itself');
  await cloud.deploy(assembly, home.stack);
  say(`deployed only ${home.id}, at ${home.origin}`);
  const policy = policyOf('client-operator', home.id);
  const client = await createClient(cloud.authctl(configPath, home.awsRegion, policy));
  const token = await getToken(home.origin + tokenPath, client);
  await proveIndexAfterFunctions(cloud, home, { assembly, configPath });
  // One after the other: the emulator ends a function's process when a function of the same name
  // is called in another region, and the stack then waits for an answer that never comes.
  for (const { stack } of others) await cloud.deploy(assembly, stack);
  say(`deployed ${others.map(({ id, origin }) => `${id} at ${origin}`).join(' and ')}`);
  sayLeftOut(assembly.leftOut);
  say(
    'NOT proved: that DynamoDB replicates strongly consistent; DNS failover; certificates of ACM',
  );

  const tokens = [token];
  for (const region of others) {
    tokens.push(await joinService(cloud, region, client, configPath));
  }
  await proveEverywhere(regions, tokens);
  await proveRepairWithoutHome(cloud, [home, ...others], { ...input, domain });
  await allowDeletion(cloud, home, { ...input, domain });
  await cloud.destroy(assembly, home.stack);
  assert.notEqual((await fetch(home.origin + jwksPath)).status, 200);
  await proveLoss(others, client, token);
}

/** The data stack as if its version had tables without an index yet. */
async function deployEarlierData(cloud: Cloud, { directory }: Assembly): Promise<void> {
  const files = withoutIndexes(readAssembly(directory));
  const earlier = cloud.addAssembly('earlier', (outdir) => writeAssembly(files, outdir));
  await cloud.deploy(earlier, dataStack);
}

/** A region was deployed with `--exclusively`, before the data stack: its lists wait for it. */
async function proveIndexAfterFunctions(
  cloud: Cloud,
  { id, awsRegion }: Region,
  { assembly, configPath }: { readonly assembly: Assembly; readonly configPath: string },
): Promise<void> {
  const authctl = cloud.authctl(configPath, awsRegion);
  await assertIndexes(cloud, awsRegion, undefined);
  await assertNotListed(authctl);
  await cloud.deploy(assembly, dataStack);
  await assertIndexes(cloud, awsRegion, 'ACTIVE');
  await assertListed(authctl);
  say(`${id} was deployed before the data stack had an index: its lists were refused until then`);
}

/**
 * While the region of the data stack does not answer, a change reaches another region only with
 * `--exclusively`, as docs/procedures/lose-a-region.md says.
 */
async function proveRepairWithoutHome(
  cloud: Cloud,
  [home, other]: readonly [Region, Region, ...Region[]],
  input: DeploymentConfigInput,
): Promise<void> {
  const faxes = { service: 'faxes', permission: 'send', description: 'Send faxes' };
  const config = { ...input, scopes: [...input.scopes, faxes] };
  await cloud.duringOutage(home.awsRegion, other.awsRegion, async (reachable) => {
    const assembly = await reachable.synthesiseConfig('repair', config);
    await assert.rejects(
      reachable.deployWithDependencies(assembly, other.stack),
      new RegExp(`${home.awsRegion} does not answer`),
    );
    await reachable.deploy(assembly, other.stack);
  });
  const metadata = await (await fetch(other.origin + openidConfigurationPath)).text();
  assert.ok(metadata.includes('faxes:send'), metadata);
  say(`while ${home.awsRegion} does not answer, a change reaches ${other.id} with --exclusively`);
}

/** A config with a domain protects its stacks, as docs/deploy.md says. */
async function allowDeletion(
  cloud: Cloud,
  { stack }: Region,
  input: DeploymentConfigInput,
): Promise<void> {
  const config = { ...input, terminationProtection: false };
  await cloud.deploy(await cloud.synthesiseConfig('unprotected', config), stack);
}

/** The other regions issue, and verify what the lost region has issued. */
async function proveLoss(
  others: readonly Region[],
  client: Credentials,
  token: string,
): Promise<void> {
  for (const { origin } of others) {
    await getToken(origin + tokenPath, client);
    await verify(token, origin);
  }
  say('without the first region the others issue, and its tokens verify');
}

function regionsOf(config: DeploymentConfig): readonly Region[] {
  return deployedRegions(config).map(({ id, awsRegion }) => ({
    id,
    awsRegion,
    origin: `https://${id}.${domainName}`,
    stack: `AuthorizationServer-${id}`,
  }));
}

/** The domain of the example, in a zone of the account. */
export async function describeDomain(cloud: Cloud) {
  return { ...example.domain, hostedZoneId: await createHostedZone(cloud, hostedZoneName) };
}

/**
 * A region that joins publishes its key at deployment and issues nothing until every verifier can
 * know it.
 *
 * @returns a token of the region.
 */
async function joinService(
  cloud: Cloud,
  { id, awsRegion, origin }: Region,
  client: Credentials,
  configPath: string,
): Promise<string> {
  const early = await requestToken(origin + tokenPath, client);
  assert.equal(early.status, 503, await early.text());
  const authctl = cloud.authctl(configPath, awsRegion, policyOf('signing-key-operator', id));
  const rotate = () => authctl('signing-key', 'rotate', '--region', id);
  await assert.rejects(rotate, /may sign from .* at the earliest/);
  await cloud.ageNextKey(parseDeploymentConfig(example), id);
  await eventually(rotate);
  const token = await getToken(origin + tokenPath, client);
  say(`${id} issued nothing until its key was eligible, and issues now`);
  return token;
}

async function verify(token: string, origin: string): Promise<void> {
  const { defaultAudience: audience } = example;
  await verifyToken(token, { issuer, jwksUri: origin + jwksPath, audience });
}

async function proveEverywhere(
  regions: readonly Region[],
  tokens: readonly string[],
): Promise<void> {
  for (const { origin } of regions) {
    for (const token of tokens) await verify(token, origin);
  }
  say('tokens of each region verify through the JWKS of each');
  const origins = [issuer, ...regions.map(({ origin }) => origin)];
  const documents = await Promise.all(
    origins.map(async (origin) => (await fetch(origin + openidConfigurationPath)).text()),
  );
  assert.equal(new Set(documents).size, 1);
  assert.equal((JSON.parse(documents[0] ?? '') as { issuer: string }).issuer, issuer);
  say('discovery is the same bytes under every name');
}

/** docs/procedures/one-region-to-three.md, up to where the first region serves from new tables. */
export async function proveMove(cloud: Cloud): Promise<void> {
  await cloud.bootstrap(...Object.values(example.regions).map(({ awsRegion }) => awsRegion));
  const domain = await describeDomain(cloud);
  const base: DeploymentConfigInput = { ...example, signingKeyPolicy, domain };
  const one: DeploymentConfigInput = { ...base, regions: { slc: example.regions.slc } };
  const names = { tablesName: 'authorization-server-2', formerTablesName: 'authorization-server' };
  const three: DeploymentConfigInput = { ...base, ...names };
  const [{ awsRegion, origin, stack }] = regionsOf(parseDeploymentConfig(one)) as [Region];

  const before = cloud.writeConfig(one);
  await cloud.deploy(await cloud.synthesiseConfig('one', one), stack);
  const client = await createClient(cloud.authctl(before, awsRegion));
  const token = await getToken(origin + tokenPath, client);
  say(`deployed one region, at ${origin}`);

  const after = cloud.writeConfig(three);
  const assembly = await cloud.synthesiseConfig('three', three);
  await cloud.deploy(assembly, 'AuthorizationServer-data');
  await addReplicas(cloud.aws(awsRegion).dynamodb, parseDeploymentConfig(three));
  // The other regions have no audit yet.
  const joining = regionsOf(parseDeploymentConfig(three)).filter((to) => to.stack !== stack);
  const audit = joining.flatMap((region) => ['--without-audit', region.awsRegion]);
  const point = ['--restore-point', new Date().toISOString(), ...audit, '--yes'];
  for (const key of restorableTables) {
    const from = deployedTableName(parseDeploymentConfig(one), key);
    const restore = ['table', 'restore', tables[key].suffix, '--from', from];
    await cloud.authctl(after, awsRegion)(...restore, ...point);
  }
  await cloud.deploy(assembly, stack);
  const later = await getToken(origin + tokenPath, client);
  assert.equal(decodeProtectedHeader(later).kid, decodeProtectedHeader(token).kid);
  await verify(token, origin);
  await verify(later, origin);
  say('it serves from the tables of three: same secret, same key, tokens of before verify');

  // What leaves the stack stays in the account, for anyone who has to go back.
  const show = ['client', 'show', client.clientId, '--through', 'tables'];
  const former = await cloud.authctl(cloud.writeConfig(one), awsRegion)(...show);
  assert.equal(former['client_id'], client.clientId);
  say('the update took the former tables out of the stack and kept them');
}
