import assert from 'node:assert/strict';
import { type TableKey, tableIndexes, tableName, trunkGroupIndex } from '../../contract/tables.ts';
import type { Authctl, Cloud } from './cloud.ts';

const indexed = Object.keys(tableIndexes) as TableKey[];

/** Names of the tables that have an index. */
export const indexedTables = indexed.map((key) => tableName('authorization-server', key));

/** Status of the index in each table, in an AWS region; undefined if it does not exist. */
export async function readIndexStatus(
  cloud: Cloud,
  awsRegion: string,
): Promise<readonly (string | undefined)[]> {
  const { dynamodb } = cloud.aws(awsRegion);
  const found = indexedTables.map(async (TableName) => {
    const { Table } = await dynamodb.describeTable({ TableName });
    const indexes = Table?.GlobalSecondaryIndexes ?? [];
    return indexes.find(({ IndexName }) => IndexName === trunkGroupIndex.name)?.IndexStatus;
  });
  return Promise.all(found);
}

/** The index has this status in each table. */
export async function assertIndexes(
  cloud: Cloud,
  awsRegion: string,
  status: string | undefined,
): Promise<void> {
  assert.deepEqual(
    await readIndexStatus(cloud, awsRegion),
    indexedTables.map(() => status),
  );
}

/** Lists one trunk group, which has one client. @param authctl of an administrator. */
export async function assertListed(authctl: Authctl): Promise<void> {
  const { items } = await authctl('client', 'list', '--only-trunk-group', 'tg-1');
  assert.equal((items as readonly unknown[]).length, 1, 'the client of the test is listed');
}

/** The refusal says what to wait for. */
export async function assertNotListed(authctl: Authctl): Promise<void> {
  await assert.rejects(assertListed(authctl), /by-trunk-group cannot be used/);
}
