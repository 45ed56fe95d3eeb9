import { expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import type { Item } from '../../../adapters/dynamodb/items/item.ts';
import { restoredTableName, tableName, tables } from '../../../contract/tables.ts';
import { restorableTables } from '../../../core/restore/restore-tables.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { writeSamples } from '../../../lab/support/items/samples.ts';
import { testConfig as config } from '../../support/management.ts';
import { restoreTable } from '../../support/restore-table.ts';
import { startDynalite, testAwsOptions } from './dynalite.ts';

const keyNames = new Set(Object.values(tables).map(({ partitionKey }) => partitionKey));

/** Samples of the items of a table; those of one id are variants. */
function samplesOf(table: (typeof restorableTables)[number]): readonly Item[] {
  // What is not restored: the next runs write it again.
  const { audit: _, key_intent: _intents, canary_run: _runs, ...samples } = writeSamples();
  const { partitionKey } = tables[table];
  const isOfTable = (item: Item) =>
    Object.keys(item).find((name) => keyNames.has(name as never)) === partitionKey;
  const all = Object.values(samples).flat().filter(isOfTable);
  const isKey = ({ record_type: type = '' }: Item) =>
    /^(signing_key|key_|region_)/.test(String(type));
  return all.filter((item) => isKey(item) === (table === 'signingKeys'));
}

it.each(restorableTables)('%s of a moved deployment are the same to the byte', async (table) => {
  const server = await startDynalite();
  const aws = testAwsOptions(server.endpoint);
  const dynamodb = createDynamoDbClient(aws);
  const [from, to] = [restoredTableName(config.name, table), tableName(config.name, table)];
  await createTables(dynamodb, config.name);
  await createTables(dynamodb, `${config.name}-restored`);
  const { partitionKey, sortKey = partitionKey } = tables[table] as {
    partitionKey: string;
    sortKey?: string;
  };
  const read = async (name: string) => (await dynamodb.scan({ TableName: name })).Items ?? [];
  const moved = samplesOf(table);
  expect(moved.length).toBeGreaterThan(3);
  for (const item of moved) {
    await dynamodb.put({ TableName: from, Item: item });
    const rows = await restoreTable({ aws, config }, table, from);
    expect(rows).toMatchObject([{ because: [] }]);
    expect(await read(to)).toEqual([item]);
    const Key = { [partitionKey]: item[partitionKey], [sortKey]: item[sortKey] };
    for (const TableName of [from, to]) await dynamodb.delete({ TableName, Key });
  }
  dynamodb.destroy();
  await server.close();
});
