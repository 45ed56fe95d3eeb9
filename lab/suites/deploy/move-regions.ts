import assert from 'node:assert/strict';
import { decodeProtectedHeader } from 'jose';
import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import { jwksPath, tokenPath } from '../../../contract/routes.ts';
import { deployedTableName, tableKeys, tables } from '../../../contract/tables.ts';
import type { Cloud } from '../../ministack/cloud.ts';
import {
  createClient,
  getToken,
  say,
  signingKeyPolicy,
  verifyToken,
} from '../../ministack/proof.ts';
import { addReplicas, createHostedZone, example } from './three-regions.ts';

const home = 'us-west-2';
const stack = 'AuthorizationServer-slc';

/** docs/procedures/one-region-to-three.md, up to where the first region serves from new tables. */
export async function proveMove(cloud: Cloud): Promise<void> {
  await cloud.bootstrap(...Object.values(example.regions).map(({ awsRegion }) => awsRegion));
  const domain = { ...example.domain, hostedZoneId: await createHostedZone(cloud) };
  const base: DeploymentConfigInput = { ...example, signingKeyPolicy, domain };
  const one: DeploymentConfigInput = { ...base, regions: { slc: { awsRegion: home } } };
  const names = { tablesName: 'authorization-server-2', formerTablesName: 'authorization-server' };
  const three: DeploymentConfigInput = { ...base, ...names };
  const origin = `https://slc.${domain.name}`;
  const verify = (token: string) =>
    verifyToken(token, {
      issuer: `https://${domain.name}`,
      jwksUri: origin + jwksPath,
      audience: base.defaultAudience,
    });

  const before = cloud.writeConfig(one);
  await cloud.deploy(await cloud.synthesiseConfig('one', one), stack);
  const client = await createClient((...args) => cloud.authctl(before, home, ...args));
  const token = await getToken(origin + tokenPath, client);
  say(`deployed one region, at ${origin}`);

  const after = cloud.writeConfig(three);
  const assembly = await cloud.synthesiseConfig('three', three);
  await cloud.deploy(assembly, 'AuthorizationServer-data');
  await addReplicas(cloud, parseDeploymentConfig(three));
  for (const key of tableKeys.filter((one) => tables[one].scope === 'global')) {
    const from = deployedTableName(parseDeploymentConfig(one), key);
    const { suffix } = tables[key];
    await cloud.authctl(after, home, 'table', 'copy', suffix, '--from', from, '--yes');
  }
  await cloud.deploy(assembly, stack);
  const later = await getToken(origin + tokenPath, client);
  assert.equal(decodeProtectedHeader(later).kid, decodeProtectedHeader(token).kid);
  await verify(token);
  await verify(later);
  say('it serves from the tables of three: same secret, same key, tokens of before verify');

  // What leaves the stack stays in the account, for anyone who has to go back.
  const show = ['client', 'show', client.clientId, '--through', 'tables'];
  const former = await cloud.authctl(cloud.writeConfig(one), home, ...show);
  assert.equal(former['client_id'], client.clientId);
  say('the update took the former tables out of the stack and kept them');
}
