import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { type TableSchema, tableKeys, tableName, tables } from '../../contract/tables.ts';
import { UnavailableError } from '../../core/errors.ts';

/** Milliseconds. A local server is ready at once; DynamoDB needs some seconds. */
const activeWithin = 60_000;
const pollInterval = 50;

/** A table's name and keys, which are strings. */
export interface TableDefinition extends Pick<TableSchema, 'partitionKey' | 'sortKey'> {
  readonly name: string;
}

function createTableCommand(table: TableDefinition): CreateTableCommand {
  const keys = [
    { name: table.partitionKey, type: 'HASH' as const },
    ...(table.sortKey === undefined ? [] : [{ name: table.sortKey, type: 'RANGE' as const }]),
  ];
  return new CreateTableCommand({
    TableName: table.name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map((key) => ({ AttributeName: key.name, AttributeType: 'S' })),
    KeySchema: keys.map((key) => ({ AttributeName: key.name, KeyType: key.type })),
  });
}

/** Creates a table unless it exists, and waits until it can be used. */
export async function createTable(dynamodb: DynamoDBClient, table: TableDefinition): Promise<void> {
  try {
    await dynamodb.send(createTableCommand(table));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitUntilActive(dynamodb, table.name);
}

async function waitUntilActive(dynamodb: DynamoDBClient, name: string): Promise<void> {
  const deadline = performance.now() + activeWithin;
  while (performance.now() < deadline) {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: name }));
    if (Table?.TableStatus === 'ACTIVE') return;
    await new Promise((resolve) => setTimeout(resolve, pollInterval));
  }
  throw new UnavailableError(`table ${name} did not become active in ${activeWithin / 1000} s`);
}

/**
 * Creates the tables of a deployment that do not exist, and waits until all can be used. For the
 * local run and tests. In AWS the stack creates the tables, with backups and deletion protection.
 */
export async function createTables(
  dynamodb: DynamoDBClient,
  deploymentName: string,
): Promise<void> {
  await Promise.all(
    tableKeys.map((key) =>
      createTable(dynamodb, { ...tables[key], name: tableName(deploymentName, key) }),
    ),
  );
}
