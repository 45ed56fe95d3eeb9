// Uses every entry of the installed package, as someone else's project would.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { addAuthorizationServer } from 'authorization-server-aws/authorization-server';
import {
  type DeploymentConfig,
  parseDeploymentConfig,
} from 'authorization-server-aws/deployment-config';
import { createDynamoDbLookups } from 'authorization-server-aws/dynamodb-lookups';
import { ForwardAuthSidecar } from 'authorization-server-aws/forward-auth-sidecar';
import {
  type Client,
  createManagement,
  InputError,
  type Management,
} from 'authorization-server-aws/management';
import { PlatformAuthorizer } from 'authorization-server-aws/platform-authorizer';
import { createPortal, type Person, type Portal } from 'authorization-server-aws/portal';
import {
  BearerRefusal,
  createVerifier,
  type VerifiedCredential,
} from 'authorization-server-aws/verifier';
import * as verifierPackage from 'authorization-server-verifier';
import { App, Stack } from 'aws-cdk-lib';
import { MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ContainerImage, FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

const config: DeploymentConfig = parseDeploymentConfig(
  JSON.parse(readFileSync(required('AUTHCTL_CONFIG'), 'utf8')),
  { allowLoopbackIssuer: true },
);

async function manage(): Promise<{ readonly client: Client; readonly secret: string }> {
  const management: Management = createManagement({ config, actor: async () => 'portal:test' });
  const { client } = await management.createClient({
    name: 'Packed',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['messaging:view'],
  });
  const { value } = await management.createClientSecret(client.clientId, {});
  assert.ok(typeof value === 'string');
  const names = (await management.listClients()).items.map(({ name }) => name);
  assert.ok(names.includes('Packed'));
  await assert.rejects(management.findClient('no id'), InputError);
  return { client, secret: value };
}

async function verify(client: Client, secret: string): Promise<void> {
  const response = await fetch(required('TOKEN_URL'), {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${client.clientId}:${secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  const verifier = createVerifier({
    issuer: required('ISSUER'),
    audience: required('AUDIENCE'),
    ...createDynamoDbLookups({ tables: config.name }),
  });
  const caller: VerifiedCredential = await verifier.verify({ authorization: `Bearer ${token}` }, [
    'messaging:view',
  ]);
  assert.equal(caller.serviceTrunkGroup, 'tg-1001');
  const key = { authorization: `Bearer ${required('API_KEY')}`, sourceAddress: '127.0.0.1' };
  assert.equal((await verifier.verify(key)).serviceTrunkGroup, 'demo');
  const refused = verifier.verify({ authorization: `Bearer ${token}x` });
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof BearerRefusal);
    return verifier.toResponse(error).status === 401;
  });
}

/** A company mounts the portal behind its own login. */
async function mountPortal(): Promise<void> {
  const origin = 'https://portal.example.com';
  const people: Readonly<Record<string, Person>> = {
    ada: { name: 'Ada', role: 'viewer', trunkGroups: ['tg-1001'] },
  };
  const portal: Portal = createPortal({
    management: createManagement({ config, actor: async () => 'portal:test' }),
    origins: [origin],
    identify: async (request) => people[request.headers.get('x-user') ?? ''],
  });
  const get = (url: string, user: string) =>
    portal.fetch(new Request(url, { headers: { 'x-user': user } }));
  assert.match(await (await get(`${origin}/clients`, 'ada')).text(), /Packed/);
  assert.equal((await get(`${origin}/clients/new`, 'ada')).status, 403);
  assert.equal((await get(`${origin}/clients`, 'eve')).status, 401);
  assert.equal((await get('https://evil.example/clients', 'ada')).status, 421);
}

function synthesise(): void {
  const app = new App();
  const single = parseDeploymentConfig({
    regions: { slc: { awsRegion: 'us-west-2' } },
    defaultAudience: 'https://api.example.com',
    scopes: [{ service: 'messaging', permission: 'view', description: 'Read messages' }],
  });
  const [service] = addAuthorizationServer(app, single);
  assert.equal(service?.stackName, 'AuthorizationServer-slc');
  const stack = new Stack(app, 'Messages', { env: { region: 'us-west-2' } });
  const restApi = new RestApi(stack, 'Api');
  const authorizer = new PlatformAuthorizer(stack, 'Authorizer', {
    restApi,
    issuer: 'https://auth.example.com',
    audiences: ['https://api.example.com'],
  });
  restApi.root
    .addResource('messages')
    .addMethod('GET', new MockIntegration(), authorizer.requireScopes('messaging:view'));
  const check = new ForwardAuthSidecar(stack, 'Check', {
    taskDefinition: new FargateTaskDefinition(stack, 'Task'),
    image: ContainerImage.fromRegistry('forward-auth'),
    issuer: 'https://auth.example.com',
    audiences: ['https://api.example.com'],
    ownTokensOnly: true,
  });
  assert.equal(check.container.containerName, 'forward-auth');
  const names = app.synth().stacks.map(({ stackName }) => stackName);
  assert.deepEqual(names.sort(), ['AuthorizationServer-slc', 'Messages']);
}

// Both packages have the same classes, so that errors of one are known by the other.
assert.equal(BearerRefusal, verifierPackage.BearerRefusal);

const { client, secret } = await manage();
await verify(client, secret);
await mountPortal();
synthesise();
console.log('every entry works');
