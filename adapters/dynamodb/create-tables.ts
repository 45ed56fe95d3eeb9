import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { type TableSchema, tableKeys, tableName, tables } from '../../contract/tables.ts';
import { UnavailableError } from '../../core/errors.ts';

/** A local server needs none of this; DynamoDB itself takes some seconds. Milliseconds. */
const activeWithin = 60_000;
const pollInterval = 50;

function createTableCommand(name: string, schema: TableSchema): CreateTableCommand {
  const keys = [
    { name: schema.partitionKey, type: 'HASH' as const },
    ...(schema.sortKey === undefined ? [] : [{ name: schema.sortKey, type: 'RANGE' as const }]),
  ];
  return new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map((key) => ({ AttributeName: key.name, AttributeType: 'S' })),
    KeySchema: keys.map((key) => ({ AttributeName: key.name, KeyType: key.type })),
  });
}

async function createTable(
  dynamodb: DynamoDBClient,
  name: string,
  schema: TableSchema,
): Promise<void> {
  try {
    await dynamodb.send(createTableCommand(name, schema));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
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
 * local run and tests: in AWS the stack makes them, with backups and deletion protection.
 */
export async function createTables(
  dynamodb: DynamoDBClient,
  deploymentName: string,
): Promise<void> {
  await Promise.all(
    tableKeys.map(async (key) => {
      const name = tableName(deploymentName, key);
      await createTable(dynamodb, name, tables[key]);
      await waitUntilActive(dynamodb, name);
    }),
  );
}
