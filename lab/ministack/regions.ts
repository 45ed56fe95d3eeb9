import assert from 'node:assert/strict';
import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { deployedTableName, tableKeys, tables } from '../../contract/tables.ts';
import type { Cloud } from './cloud.ts';

/** The zone in which stacks put their names. @returns its id. */
export async function createHostedZone(cloud: Cloud, zone: string): Promise<string> {
  const response = await fetch(`${cloud.endpoint}/2013-04-01/hostedzone`, {
    method: 'POST',
    body: `<CreateHostedZoneRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Name>${zone}</Name><CallerReference>test</CallerReference></CreateHostedZoneRequest>`,
  });
  const text = await response.text();
  const id = /<Id>\/hostedzone\/(\w+)<\/Id>/.exec(text)?.[1];
  assert.ok(id, text);
  return id;
}

/** The emulator takes the replicas of a global table from UpdateTable and not from a template. */
export async function addReplicas(dynamodb: DynamoDB, config: DeploymentConfig): Promise<void> {
  const [, ...others] = deployedRegions(config);
  const shared = tableKeys.filter((key) => tables[key].scope === 'global');
  for (const TableName of shared.map((key) => deployedTableName(config, key))) {
    const { Table: { Replicas = [] } = {} } = await dynamodb.describeTable({ TableName });
    if (Replicas.some(({ RegionName }) => RegionName === others[0]?.awsRegion)) continue;
    const ReplicaUpdates = others.map(({ awsRegion }) => ({ Create: { RegionName: awsRegion } }));
    await dynamodb.updateTable({ TableName, ReplicaUpdates });
  }
}
