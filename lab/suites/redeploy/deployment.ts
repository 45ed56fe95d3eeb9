import assert from 'node:assert/strict';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { functionName } from '../../../contract/function-names.ts';
import { apiKeyUseTable } from '../../../contract/tables.ts';
import type { Assembly, Authctl, Cloud } from '../../ministack/cloud.ts';
import { createClient, say, sayLeftOut, signingKeyPolicy } from '../../ministack/proof.ts';
import { describeDomain, example } from '../deploy/three-regions.ts';
import { awsRegion, stackName } from './release.ts';
import { ServiceInUse } from './service-in-use.ts';
import { Stack } from './stack.ts';

/** A deployed service that a client uses. */
export interface Deployment {
  readonly cloud: Cloud;
  readonly stack: Stack;
  readonly service: ServiceInUse;
  /** The client that uses it. */
  readonly clientId: string;
  /** Runs a command of `authctl`. */
  readonly authctl: Authctl;
}

/** One region with every option of the example of three regions. */
export const config: DeploymentConfigInput = {
  ...example,
  regions: { slc: { awsRegion } },
  signingKeyPolicy,
  // One client asks for a token in every round, far above what a real one needs.
  fairShare: { mode: 'count' },
};

/** @returns the config with the hosted zone of the account. */
export async function prepareAccount(cloud: Cloud): Promise<DeploymentConfigInput> {
  await cloud.bootstrap(awsRegion);
  return { ...config, domain: await describeDomain(cloud) };
}

/** Deploys an assembly with `cdk deploy`, and creates the client that uses the service. */
export async function deployAssembly(
  cloud: Cloud,
  assembly: Assembly,
  config: DeploymentConfigInput,
): Promise<Deployment> {
  const outputs = await cloud.deploy(assembly, stackName);
  const issuer = outputs[stackName]?.['Issuer'];
  assert.ok(issuer);
  const authctl: Authctl = (...args) =>
    cloud.authctl(cloud.writeConfig(config), awsRegion)(...args);
  const client = await createClient(authctl);
  say(`deployed ${issuer}`);
  sayLeftOut(assembly.leftOut);
  return {
    cloud,
    stack: new Stack(cloud),
    service: new ServiceInUse({ issuer, audience: config.defaultAudience }, client),
    clientId: client.clientId,
    authctl,
  };
}

/** The version of a function that gets requests. */
export interface LiveVersion {
  readonly functionName: string;
  readonly version: string;
  /** Of its code. */
  readonly sha256: string;
  readonly memory: number;
}

/** Of the functions that answer requests: token, discovery, JWKS. */
export async function listLiveVersions({
  cloud,
}: Pick<Deployment, 'cloud'>): Promise<readonly LiveVersion[]> {
  const { lambda } = cloud.aws(awsRegion);
  const names = ['token', 'discovery', 'jwks'] as const;
  const found = names.map(async (name): Promise<LiveVersion> => {
    const FunctionName = functionName(String(example.name), name);
    const version = { FunctionName, Qualifier: 'live' };
    const { Version, CodeSha256, MemorySize } = await lambda.getFunctionConfiguration(version);
    return {
      functionName: FunctionName,
      version: String(Version),
      sha256: String(CodeSha256),
      memory: Number(MemorySize),
    };
  });
  return Promise.all(found);
}

/** Types of resources that hold data, or an address that clients know. */
const statefulTypes: readonly string[] = [
  'AWS::ApiGateway::DomainName',
  'AWS::ApiGateway::RestApi',
  'AWS::Backup::BackupVault',
  'AWS::Logs::LogGroup',
];

/** `name id` of each table. A table that was created again has another id. */
export async function listTables(cloud: Cloud): Promise<readonly string[]> {
  const { dynamodb } = cloud.aws(awsRegion);
  const { TableNames = [] } = await dynamodb.listTables({});
  const described = TableNames.map(async (TableName) => {
    const { Table } = await dynamodb.describeTable({ TableName });
    return `${TableName} ${Table?.TableId}`;
  });
  return Promise.all(described);
}

/** Nothing decides by the last uses: they end with what has them. */
export function outlivesItsStack(table: string): boolean {
  return !table.includes(apiKeyUseTable.suffix);
}

/** Key ids of the signing keys. */
export async function listKids(authctl: Authctl): Promise<readonly string[]> {
  const { items } = await authctl('signing-key', 'list');
  return (items as readonly { readonly kid: string }[]).map(({ kid }) => kid);
}

/** What no update may replace: resources that hold data, and signing keys. */
export async function listStatefulResources({
  cloud,
  stack,
  authctl,
}: Deployment): Promise<readonly string[]> {
  const { resources } = await stack.readState();
  const stateful = [...resources.values()]
    .filter(({ type }) => statefulTypes.includes(type))
    .map(({ type, physicalId }) => `${type} ${physicalId}`);
  return [...stateful, ...(await listTables(cloud)), ...(await listKids(authctl))];
}

/** @throws if one of these resources was removed or replaced. */
export async function assertKept(deployment: Deployment, before: readonly string[]): Promise<void> {
  const kept = await listStatefulResources(deployment);
  assert.deepEqual(
    before.filter((identity) => !kept.includes(identity)),
    [],
    'stateful resources were removed or replaced',
  );
}
