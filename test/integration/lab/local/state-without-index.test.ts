import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDynamoDbClient } from '../../../../adapters/dynamodb/dynamodb-client.ts';
import {
  type TableKey,
  tableIndexes,
  tableName,
  trunkGroupIndex,
} from '../../../../contract/tables.ts';
import { type LocalRun, startLocal } from '../../../../lab/local/start-local.ts';
import { runCli } from '../../cli/use-authctl.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const indexed = (Object.keys(tableIndexes) as TableKey[]).map((key) => tableName('local', key));

async function start(stateDirectory: string) {
  const run = await startLocal({ stateDirectory, port: 0 });
  onTestFinished(() => run.close());
  return run;
}

function connect({ aws }: LocalRun) {
  const dynamodb = createDynamoDbClient(aws);
  onTestFinished(() => dynamodb.destroy());
  return dynamodb;
}

/** The state as a release before the index has left it. */
async function removeIndexes(run: LocalRun): Promise<void> {
  const GlobalSecondaryIndexUpdates = [{ Delete: { IndexName: trunkGroupIndex.name } }];
  for (const TableName of indexed) {
    await connect(run).send(new UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates }));
  }
}

async function readStatus(run: LocalRun) {
  const found = indexed.map(async (TableName) => {
    const { Table } = await connect(run).send(new DescribeTableCommand({ TableName }));
    return Table?.GlobalSecondaryIndexes?.map(({ IndexStatus }) => IndexStatus);
  });
  return Promise.all(found);
}

it('a local run over the state of a release without indexes adds and fills them', async () => {
  const state = join(temporaryDirectory(), '.local');
  mkdirSync(state);
  const authctl = async (...args: readonly string[]) => {
    const { stdout, stderr } = await runCli([...args, '--local', '--json'], {
      cwd: dirname(state),
    });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const before = await start(state);
  const named = ['--name', 'A', '--trunk-group', 'tg-9', '--scope', 'calls:view'];
  const { client_id } = await authctl('client', 'create', ...named);
  await removeIndexes(before);
  await before.close();

  const run = await start(state);
  const { items } = await authctl('client', 'list', '--only-trunk-group', 'tg-9');
  expect(items).toMatchObject([{ client_id }]);
  await vi.waitFor(async () => expect(await readStatus(run)).toEqual([['ACTIVE'], ['ACTIVE']]));
  const later = await authctl('client', 'list', '--only-trunk-group', 'tg-9');
  expect(later['items']).toMatchObject([{ client_id }]);
});
