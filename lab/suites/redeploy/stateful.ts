import assert from 'node:assert/strict';
import { DescribeTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import type { Cloud } from '../../ministack/cloud.ts';
import type { Deployment } from './deployment.ts';
import { awsRegion } from './release.ts';

/** Types of resources that hold data, or an address that clients know. */
const statefulTypes: readonly string[] = [
  'AWS::ApiGateway::DomainName',
  'AWS::ApiGateway::RestApi',
  'AWS::Backup::BackupVault',
  'AWS::Logs::LogGroup',
];

/** `name id` of each table. A table that was created again has another id. */
export async function listTables(cloud: Cloud): Promise<readonly string[]> {
  const dynamodb = new DynamoDBClient(cloud.sdk(awsRegion));
  const { TableNames = [] } = await dynamodb.send(new ListTablesCommand());
  const described = TableNames.map(async (TableName) => {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
    return `${TableName} ${Table?.TableId}`;
  });
  return Promise.all(described);
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
  const { items } = await authctl('signing-key', 'list');
  const keys = items as readonly { readonly kid: string }[];
  return [...stateful, ...(await listTables(cloud)), ...keys.map(({ kid }) => kid)];
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
