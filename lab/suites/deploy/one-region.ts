import assert from 'node:assert/strict';
import { join } from 'node:path';
import { decodeProtectedHeader } from 'jose';
import singleRegion from '../../../config/single-region.json' with { type: 'json' };
import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import type { Assembly, Cloud, Outputs } from '../../ministack/cloud.ts';
import { account } from '../../ministack/permissions/function-key.ts';
import { proveSignPermission } from '../../ministack/permissions/prove-permissions.ts';
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
import { type Credentials, requestToken } from '../../support/token-request.ts';
import { proveEveryCommand } from './every-command.ts';
import { proveStopWithoutFunction } from './failed-function.ts';

const awsRegion = 'us-west-2';
const stackName = 'AuthorizationServer-slc';

/** The example, with functions that read the list of keys often and operators without the tables. */
const config: DeploymentConfigInput = {
  ...(singleRegion as DeploymentConfigInput),
  signingKeyPolicy,
};

export const oneRegionNames = [`*.execute-api.${awsRegion}.amazonaws.com`];

interface Service {
  readonly cloud: Cloud;
  readonly assembly: Assembly;
  readonly configPath: string;
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUri: string;
  readonly audience: string;
}

/** Deploys the example of one region, and uses everything that a platform would use of it. */
export async function proveOneRegion(cloud: Cloud): Promise<void> {
  await cloud.bootstrap(awsRegion);
  const service = await deployService(cloud);
  const client = await createClient((...args) => authctl(service, ...args));
  const token = await getToken(service.tokenUrl, client);
  const { payload } = await verifyToken(token, service);
  assert.equal(payload['scope'], 'messaging:view');
  say('a token of the deployed API verifies through the deployed JWKS');
  await proveRoutes(service);
  const { messagesUrl, provider } = await deployPlatformApi(service);
  await provePlatformApi(service, messagesUrl, token);
  const later = await rotate(service, client, token);
  await proveBothKeys(service, messagesUrl, [token, later]);
  await proveKeptAlgorithms(service, client);
  const tokenArn = `arn:aws:lambda:${awsRegion}:${account}:function:authorization-server-token`;
  await proveSignPermission(cloud, tokenArn, () => requestToken(service.tokenUrl, client));
  await proveWayBack(service);
  await proveEveryCommand({ ...service, config, awsRegion, provider });
  await proveStopWithoutFunction({ ...service, awsRegion, client });
  await proveTearDown(service, client);
}

async function deployService(cloud: Cloud): Promise<Service> {
  const configPath = cloud.writeConfig(config);
  const assembly = await cloud.synthesiseConfig('service', config);
  const outputs = await cloud.deploy(assembly, stackName);
  const { Issuer, TokenUrl, JwksUri } = outputs[stackName] as Outputs;
  say(`deployed ${Issuer}`);
  sayLeftOut(assembly.leftOut);
  return {
    cloud,
    assembly,
    configPath,
    issuer: String(Issuer),
    tokenUrl: String(TokenUrl),
    jwksUri: String(JwksUri),
    audience: config.defaultAudience,
  };
}

/** Runs a command as the operator whose policy is there for it. */
function authctl({ cloud, configPath }: Service, ...args: readonly string[]) {
  const group = args[0]?.replace('client-secret', 'client');
  const policy = policyOf(`${group}-operator`);
  return cloud.authctl(configPath, awsRegion, policy)(...args);
}

async function createApiKey(service: Service, ...choices: readonly string[]): Promise<string> {
  const named = ['--name', 'Bea', '--trunk-group', 'tg-1', ...choices];
  const { api_key } = await authctl(service, 'api-key', 'create', ...named);
  return String(api_key);
}

async function proveRoutes({ issuer, tokenUrl, jwksUri }: Service): Promise<void> {
  const health = await fetch(`${issuer}/health`);
  assert.deepEqual([health.status, await health.json()], [200, { status: 'ok' }]);
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`);
  const metadata = (await discovery.json()) as Readonly<Record<string, unknown>>;
  assert.deepEqual(
    [metadata['issuer'], metadata['token_endpoint'], metadata['jwks_uri']],
    [issuer, tokenUrl, jwksUri],
  );
  assert.equal((await fetch(tokenUrl)).status, 405);
  say('health, discovery and a wrong method answer as they should');
}

/** @returns addresses of the API and of an identity provider, which the stack has as well. */
async function deployPlatformApi({ cloud, issuer, audience }: Service) {
  const app = `node ${join(import.meta.dirname, 'platform-api.ts')}`;
  const context = Object.entries({ issuer, audience, awsRegion });
  const options = context.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const assembly = await cloud.synthesise('platform-api', '--app', app, ...options);
  const outputs = await cloud.deploy(assembly, 'PlatformApi');
  const endpoint = (api: string) =>
    Object.entries(outputs['PlatformApi'] as Outputs).find(([name]) => name.startsWith(api))?.[1];
  const provider = String(endpoint('ProviderEndpoint')).replace(/\/$/, '');
  return { messagesUrl: `${endpoint('RestApiEndpoint')}messages`, provider };
}

function call(url: string, credential: string, method = 'GET'): Promise<Response> {
  return fetch(url, { method, headers: { authorization: `Bearer ${credential}` } });
}

async function provePlatformApi(service: Service, url: string, token: string): Promise<void> {
  const byToken = await call(url, token);
  const caller = (await byToken.json()) as Readonly<Record<string, unknown>>;
  assert.equal(byToken.status, 200, JSON.stringify(caller));
  assert.equal(caller['scope'], 'messaging:view');
  assert.equal((await call(url, token, 'POST')).status, 403);
  assert.equal((await call(url, `${token.slice(0, -8)}AAAAAAAA`)).status, 401);
  assert.equal((await fetch(url)).status, 401);
  say('a platform API behind the deployed authorizer takes the token, and no other');

  const apiKey = await createApiKey(service);
  assert.equal((await call(url, apiKey)).status, 200);
  const elsewhere = await createApiKey(service, '--allow', 'office=203.0.113.0/24');
  assert.equal((await call(url, elsewhere)).status, 401);
  say('it takes an API key, and not from outside of its subnets');
}

/** @returns a token of the key that signs now. */
async function rotate(service: Service, client: Credentials, before: string): Promise<string> {
  const rotateNow = () => authctl(service, 'signing-key', 'rotate');
  await assert.rejects(rotateNow, /may sign from .* at the earliest/);
  await service.cloud.ageNextKey(parseDeploymentConfig(config), 'slc');
  await eventually(rotateNow);
  const kid = decodeProtectedHeader(before).kid;
  return eventually(async () => {
    const token = await getToken(service.tokenUrl, client);
    assert.notEqual(decodeProtectedHeader(token).kid, kid);
    return token;
  });
}

async function proveBothKeys(
  service: Service,
  url: string,
  tokens: readonly string[],
): Promise<void> {
  for (const token of tokens) {
    await verifyToken(token, service);
    assert.equal((await call(url, token)).status, 200);
  }
  say('the deployed rotation changed the key; tokens of both keys verify and are taken');
}

/** @returns the algorithms that the deployed discovery document lists. */
async function listAlgorithms({ issuer }: Service): Promise<unknown> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  const metadata = (await response.json()) as Readonly<Record<string, unknown>>;
  return metadata['id_token_signing_alg_values_supported'];
}

async function deployAlgorithms(
  { cloud }: Service,
  ...signingAlgorithms: NonNullable<DeploymentConfigInput['signingAlgorithms']>
): Promise<void> {
  const assembly = await cloud.synthesiseConfig('service', { ...config, signingAlgorithms });
  await cloud.deploy(assembly, stackName);
}

/** An update that would take its algorithm from the key that signs changes nothing. */
async function proveKeptAlgorithms(service: Service, client: Credentials): Promise<void> {
  await assert.rejects(
    deployAlgorithms(service, 'ES256'),
    /signingAlgorithms: received ES256; allowed at \S+: ES256, RS256, because of these keys/,
  );
  assert.deepEqual(await listAlgorithms(service), ['RS256']);
  await getToken(service.tokenUrl, client);
  await deployAlgorithms(service, 'ES256', 'RS256');
  assert.deepEqual(await listAlgorithms(service), ['ES256', 'RS256']);
  say('an update without the algorithm of the key that signs is refused; one with it is deployed');
}

/** The version before answers again, without a deployment: docs/procedures/go-back.md. */
async function proveWayBack(service: Service): Promise<void> {
  const { lambda } = service.cloud.aws(awsRegion);
  const FunctionName = 'authorization-server-discovery';
  const alias = { FunctionName, Name: 'live' };
  const { FunctionVersion: newest } = await lambda.getAlias(alias);
  const { Versions = [] } = await lambda.listVersionsByFunction({ FunctionName });
  const before = Versions.map(({ Version }) => Number(Version))
    .filter((version) => version < Number(newest))
    .toSorted((a, b) => b - a)[0];
  const list = await listAlgorithms(service);
  await lambda.updateAlias({ ...alias, FunctionVersion: String(before) });
  assert.deepEqual(await listAlgorithms(service), ['RS256']);
  await lambda.updateAlias({ ...alias, FunctionVersion: newest });
  assert.deepEqual(await listAlgorithms(service), list);
  say('an alias goes back to the version before the update, which answers, and forward again');
}

/** A protected stack stays. A stack that may go leaves its tables. */
async function proveTearDown(service: Service, { clientId }: Credentials): Promise<void> {
  const deployWith = async (terminationProtection: boolean) => {
    const changed = { ...config, terminationProtection };
    const assembly = await service.cloud.synthesiseConfig('service', changed);
    await service.cloud.deploy(assembly, stackName);
  };
  await deployWith(true);
  const refused = service.cloud.destroy(service.assembly, stackName);
  await assert.rejects(refused, /cannot be deleted while TerminationProtection is enabled/);
  assert.equal((await fetch(service.jwksUri)).status, 200);
  say('cdk destroy of a protected stack: refused, and the service answers');
  await deployWith(false);
  await service.cloud.destroy(service.assembly, stackName);
  assert.notEqual((await fetch(service.jwksUri)).status, 200);
  const { cloud, configPath } = service;
  const show = ['client', 'show', clientId, '--through', 'tables'];
  const kept = await cloud.authctl(configPath, awsRegion)(...show);
  assert.equal(kept['client_id'], clientId);
  say('the stack was destroyed, its tables and their items were kept');
}
