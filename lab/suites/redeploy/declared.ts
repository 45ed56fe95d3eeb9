import assert from 'node:assert/strict';
import { App, Stack as CdkStack, CfnOutput } from 'aws-cdk-lib';
import { CfnParameter } from 'aws-cdk-lib/aws-ssm';
import { tokenPath } from '../../../contract/routes.ts';
import { OAuthClient, type OAuthClientProps } from '../../../lib/oauth-client.ts';
import type { Cloud } from '../../ministack/cloud.ts';
import { account } from '../../ministack/permissions/function-key.ts';
import { eventually, say } from '../../ministack/proof.ts';
import { codeBlocks, readPage } from '../../support/markdown.ts';
import { bodyOf } from '../../support/platforms/hostile-world.ts';
import type { Template } from '../../support/template-changes/template.ts';
import { createTestKey, signToken, type TestKey } from '../../support/test-issuer.ts';
import { addProvider } from '../deploy/provider-api.ts';
import { example } from '../deploy/three-regions.ts';
import { deployAssembly } from './deployment.ts';
import { awsRegion, type Release, synthesiseRelease } from './release.ts';
import { Stack } from './stack.ts';

const issuer = `https://${example.domain.name}`;
const trunkGroup = 'tg-1001';
const stackName = 'erp-clients';
const needsBoth = 'Ids';
const workloadKey = createTestKey('ES256');
const clientKey = createTestKey('ES256');
const otherKey = createTestKey('ES256');

type World = Awaited<ReturnType<typeof deployWorld>>;

function synthesise(cloud: Cloud, name: string, build: (stack: CdkStack) => unknown) {
  return cloud.addAssembly(name, (outdir) => {
    const app = new App({ outdir });
    build(new CdkStack(app, name, { env: { region: awsRegion } }));
    app.synth();
  });
}

/** Deploys a stack with a client for a workload and one for a key. @returns their ids. */
async function deployErp({ cloud, provider }: World, name: string, key = clientKey) {
  const assembly = synthesise(cloud, stackName, (stack) => {
    const add = (id: string, more: Partial<OAuthClientProps>) => {
      const { clientId } = new OAuthClient(stack, id, {
        deploymentAccount: account,
        name: `${id} of ${name}`,
        serviceTrunkGroup: trunkGroup,
        scopes: ['messaging:view'],
        ...more,
      });
      return new CfnOutput(stack, `${id}Id`, { value: clientId }).value as string;
    };
    const pem = key.publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const workload = add('Workload', { provider, externalClientId: 'billing' });
    const value = `${name} ${workload} ${add('Key', { publicKeys: [pem] })}`;
    return new CfnParameter(stack, needsBoth, { type: 'String', value });
  });
  const { KeyId = '', WorkloadId = '' } =
    (await cloud.deploy(assembly, stackName))[stackName] ?? {};
  return { assembly, ids: [KeyId, WorkloadId] as const };
}

/** The answer when a client signs an assertion and asks for a token, as a library does. */
async function askToken(key: TestKey, iss: string, sub = iss) {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss, sub, aud: issuer, iat, exp: iat + 60, environment: 'production' };
  const response = await fetch(issuer + tokenPath, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: bodyOf('client_assertion', signToken(key, claims, { typ: 'JWT' })),
  });
  return { status: response.status, text: await response.text() };
}

type Ids = readonly [key: string, workload: string];

/** What `authctl client show` prints of a client, and a rollback must bring back. */
function readClients({ authctl }: World, ids: Ids) {
  const shown = ids.map(async (id) => {
    const { name, enabled, scope, declared_by, secrets } = await authctl('client', 'show', id);
    const keys = secrets as readonly { readonly thumbprint: string }[];
    return { name, enabled, scope, declared_by, keys: keys.map((key) => key.thumbprint) };
  });
  return Promise.all(shown);
}

/** Whether each client gets tokens, and its record says the same; and none with another key. */
async function assertUsable(world: World, ids: Ids, isEnabled: boolean): Promise<void> {
  for (const { enabled } of await readClients(world, ids)) assert.equal(enabled, isEnabled);
  await eventually(async () => {
    const answers = [
      await askToken(clientKey, ids[0]),
      await askToken(workloadKey, world.provider, 'billing'),
      await askToken(otherKey, ids[0]),
    ];
    const statuses = answers.map(({ status }) => status);
    const expected = isEnabled ? [200, 200, 401] : [401, 401, 401];
    assert.deepEqual(statuses, expected, JSON.stringify(answers));
  });
}

/** How many clients there are, and how many of them stacks declare. */
async function assertCount({ authctl }: World, step: string, ...expected: [number, number]) {
  const lengthOf = async (...args: readonly string[]) =>
    ((await authctl('client', 'list', ...args))['items'] as readonly unknown[]).length;
  assert.deepEqual([await lengthOf(), await lengthOf('--declared')], expected, step);
  say(`${step}: ${expected[0]} clients, of which stacks declare ${expected[1]}`);
}

/** The service when it knows a provider of workloads. */
async function deployWorld(cloud: Cloud, release: Release) {
  const app = synthesise(cloud, 'Provider', (stack) => addProvider(stack, workloadKey));
  const [endpoint = ''] = Object.values((await cloud.deploy(app, 'Provider'))['Provider'] ?? {});
  const provider = endpoint.replace(/\/$/, '');
  const stackReach = [{ account, stacks: ['erp-*'], trunkGroups: [trunkGroup] }];
  const added = { federatedClients: {}, clientKeys: {}, management: { stackReach } };
  const config = { ...release.config, ...added };
  const assembly = await synthesiseRelease(cloud, 'service', { ...release, config });
  const { authctl } = await deployAssembly(cloud, assembly, config);
  const discovery = `${provider}/.well-known/openid-configuration`;
  await authctl('provider', 'register', discovery, '--client-id-claim', 'sub');
  for (const subject of ['billing', 'invoices']) {
    await authctl('provider', 'grant', provider, subject, '--trunk-group', trunkGroup);
  }
  return { cloud, authctl, provider };
}

/** The template of the page. The account, the provider and the workload are this test's. */
async function provePage(world: World, [, workload]: Ids): Promise<void> {
  const [, block] = codeBlocks(readPage('docs/clients-as-code.md'));
  const page = String(block?.lines.join('\n')).replace('111122223333', account);
  const text = page.replace('https://idp.example.net', world.provider);
  const stack = new Stack(world.cloud, 'erp-billing');
  const deploy = (template: string) => stack.deploy(JSON.parse(template) as Template);
  const { failed } = await deploy(text);
  assert.match(String(failed), new RegExp(`${workload} .+ Workload in the stack ${stackName} `));
  await assertCount(world, 'the same workload in a second stack, which is refused', 3, 2);
  const outcome = await deploy(text.replace('"billing"', '"invoices"'));
  assert.deepEqual(outcome, { status: 'CREATE_COMPLETE', failed: [] });
  assert.equal((await askToken(workloadKey, world.provider, 'invoices')).status, 200);
  await assertCount(world, 'the template of the page, with another workload', 4, 3);
}

/** No client is lost or made twice, when a stack declares it, fails, changes, ends or returns. */
export async function proveDeclared(cloud: Cloud, release: Release): Promise<void> {
  const world = await deployWorld(cloud, release);
  cloud.failNext(needsBoth);
  await assert.rejects(deployErp(world, 'billing'), /asked for it/);
  await assertCount(world, 'a first deployment that fails', 3, 0);
  const { ids } = await deployErp(world, 'billing');
  await assertCount(world, 'the same once more', 3, 2);
  await assertUsable(world, ids, true);
  const renamed = await deployErp(world, 'invoices');
  const before = await readClients(world, ids);
  assert.deepEqual([renamed.ids, before[0]?.name], [ids, 'Key of invoices']);
  await assertCount(world, 'renamed, with the same ids', 3, 2);
  cloud.failNext(needsBoth);
  await assert.rejects(deployErp(world, 'broken', otherKey), /asked for it/);
  assert.deepEqual(await readClients(world, ids), before);
  await assertUsable(world, ids, true);
  await assertCount(world, 'an update that fails later, and is rolled back', 3, 2);
  const change = world.authctl('client', 'update', ids[0], '--name', 'Mine');
  await assert.rejects(change, /declared by Key in the stack erp-clients .+: change it there/);
  await provePage(world, ids);
  await cloud.destroy(renamed.assembly, stackName);
  await assertUsable(world, ids, false);
  await assertCount(world, 'a stack that is deleted, and disables its clients', 4, 1);
  assert.deepEqual((await deployErp(world, 'invoices')).ids, ids);
  await assertUsable(world, ids, true);
  await assertCount(world, 'deployed again, with the same ids', 4, 3);
  await world.authctl('client', 'update', ids[0], '--take-over');
  await assertCount(world, 'a person takes one over', 4, 2);
}
