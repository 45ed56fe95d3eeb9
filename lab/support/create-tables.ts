import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  type KeySchemaElement,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import {
  apiKeyUseTable,
  apiKeyUseTableName,
  deployedTableName,
  type IndexSchema,
  type TableNames,
  type TableSchema,
  tableIndexes,
  tableKeys,
  tables,
} from '../../contract/tables.ts';
import { UnavailableError } from '../../core/errors.ts';

/** Milliseconds. A local server is ready at once; DynamoDB needs some seconds. */
const activeWithin = 60_000;
const pollInterval = 50;

/** A table's name and keys, which are strings, and its index. */
export interface TableDefinition extends Keys {
  readonly name: string;
  readonly index?: IndexSchema | undefined;
}

type Keys = Pick<TableSchema, 'partitionKey' | 'sortKey'>;

function keySchema({ partitionKey, sortKey }: Keys): KeySchemaElement[] {
  return [
    { AttributeName: partitionKey, KeyType: 'HASH' },
    ...(sortKey === undefined ? [] : [{ AttributeName: sortKey, KeyType: 'RANGE' as const }]),
  ];
}

function attributesOf(...keys: readonly Keys[]) {
  const names = new Set(keys.flatMap(keySchema).map(({ AttributeName = '' }) => AttributeName));
  return [...names].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const }));
}

function toIndex(index: IndexSchema): GlobalSecondaryIndex {
  return {
    IndexName: index.name,
    KeySchema: keySchema(index),
    Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.projected] },
  };
}

function createTableCommand(table: TableDefinition): CreateTableCommand {
  const { name, index } = table;
  return new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributesOf(table, ...(index === undefined ? [] : [index])),
    KeySchema: keySchema(table),
    ...(index === undefined ? {} : { GlobalSecondaryIndexes: [toIndex(index)] }),
  });
}

/**
 * Creates a table unless it exists, and waits until it can be used.
 */
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
  deployment: string | TableNames,
): Promise<void> {
  const names = typeof deployment === 'string' ? { name: deployment } : deployment;
  await Promise.all([
    createTable(dynamodb, { ...apiKeyUseTable, name: apiKeyUseTableName(names.name) }),
    ...tableKeys.map((key) =>
      createTable(dynamodb, {
        ...tables[key],
        name: deployedTableName(names, key),
        index: tableIndexes[key],
      }),
    ),
  ]);
}
